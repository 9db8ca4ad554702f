import type { LateSettlement, UndoReport } from '../conversation/turn-record.js';

/** Settings for the next turn changed. */
export interface Configured {
  readonly type: 'configured';
  /** Names of the settings. */
  readonly changed: readonly string[];
}

/** A committed turn is being taken back, or done again. */
export interface UndoStarted {
  readonly type: 'undoStarted' | 'redoStarted';
  /** The turn. */
  readonly target: string;
}

/** A committed turn was taken back, as far as the report says. */
export interface Undone {
  readonly type: 'undone';
  readonly target: string;
  readonly report: UndoReport;
  readonly redoable: boolean;
}

/** An undone turn was done again, as far as the report says; with an empty list `done` it is as it was. */
export interface Redone {
  readonly type: 'redone';
  readonly target: string;
  readonly report: UndoReport;
}

/** A tool answered after its call had been cut. */
export interface LateToolSettled {
  readonly type: 'lateToolSettled';
  readonly callId: string;
  readonly tool: string;
  /** The turn of the call. */
  readonly target: string;
  readonly settlement: LateSettlement;
}

/** Messages left the conversation, for example those of an attempt that is made again. */
export interface ConversationReplaced {
  readonly type: 'conversationReplaced';
  readonly reason: 'retry';
  readonly removed: readonly string[];
}

/** The session ended. */
export interface Disposed {
  readonly type: 'disposed';
}

export type SessionOperation =
  Configured | UndoStarted | Undone | Redone | LateToolSettled | ConversationReplaced | Disposed;
