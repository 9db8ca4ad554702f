import type { Attachment } from '../conversation/attachment.js';
import type { LateSettlement, StayingEffect, UndoReport } from '../conversation/turn-record.js';
import type { Moved } from './moved.js';
import type { EffectMoved } from './tool-operations.js';

/** `configure` changed settings for the next turn. */
export interface Configured {
  readonly type: 'configured';
  /** Names of the settings. */
  readonly changed: readonly string[];
}

/** An undo or a redo of a committed turn started. */
export interface UndoStarted {
  readonly type: 'undoStarted' | 'redoStarted';
  /** The id of the turn. */
  readonly target: string;
  /** Present where it is a step of a branch command: `regenerate`, `edit` or `switchTo`. */
  readonly branch?: true;
}

/** Whether another step of the same branch command follows, or the move of the head. */
export type BranchStep = 'goes-on' | 'ends';

/** An undo ended; the report lists the effects that it took back. */
export interface Undone {
  readonly type: 'undone';
  readonly target: string;
  readonly report: UndoReport;
  /** Whether the turn can be redone. */
  readonly redoable: boolean;
  /** The revisions before and after: of the domains of the turn, and of every other that the undo changed. */
  readonly moved: Moved;
  /** Present for a step of a branch command. */
  readonly branch?: BranchStep;
}

/** A redo ended; the report lists the effects that it made again. With an empty list `done` the turn did not change. */
export interface Redone {
  readonly type: 'redone';
  readonly target: string;
  readonly report: UndoReport;
  /** The revisions before and after, as of an undo. */
  readonly moved: Moved;
  /** As of an undo. */
  readonly branch?: BranchStep;
}

/**
 * The app or the user changed a domain after turns in it were undone: they cannot be redone any more. Only where there is such a turn, or its
 * undo runs.
 */
export interface DomainTouched {
  readonly type: 'domainTouched';
  /** The id of the domain. */
  readonly domain: string;
}

/** A tool returned after its call had been cut. */
export interface LateToolSettled {
  readonly type: 'lateToolSettled';
  readonly callId: string;
  readonly tool: string;
  /** The id of the turn of the call. */
  readonly target: string;
  readonly settlement: LateSettlement;
  /** The revisions before and after the revert of its effect. */
  readonly moved: Moved;
}

/** An effect of a turn that has ended was taken back or made again, or the attempt failed. */
export interface EndedEffectMoved extends EffectMoved {
  /** The id of the turn. */
  readonly target: string;
}

/**
 * The head moved: `turns` and `conversation` are the path to another turn. The turns that left the path are kept. `retry`,
 * `regenerate` and `edit` move the head to the parent of a turn, `switchTo` moves it to the last turn of another branch.
 */
export interface HeadMoved {
  readonly type: 'headMoved';
  /** The turn that was the head; null before the first turn. */
  readonly from: string | null;
  /** The turn that is the head now; null for the beginning of the conversation. */
  readonly to: string | null;
  /** The effects of turns off the path that are still in place, or may be. The next turn carries a note about them. */
  readonly stays: readonly StayingEffect[];
}

/**
 * The conversation was cleared: `turns` and `conversation` are empty, the messages before the first turn included. The turns are kept, and so are
 * their effects. The operation makes a mark of the tree, which is the head.
 */
export interface PathCleared {
  readonly type: 'pathCleared';
  /** The id of the mark. */
  readonly id: string;
}

/** Messages were removed from the conversation: those of the turn that is retried. Only in logs of version 0.1: see `headMoved`. */
export interface ConversationReplaced {
  readonly type: 'conversationReplaced';
  readonly reason: 'retry';
  /** Ids of the messages. */
  readonly removed: readonly string[];
}

/** A session took over the log: it is the only one that writes from here on. */
export interface OwnerChanged {
  readonly type: 'ownerChanged';
  /** Rises by one with each owner. */
  readonly epoch: number;
  /** `opened`: a session opened the log. `hand-over`: another session released it. `stolen`: the other one did not answer.
   * `removed`: the log is gone, and no session owns it; in no log. */
  readonly reason: 'opened' | 'hand-over' | 'stolen' | 'removed';
  /** The steps that the new session can revert; all others are lost. */
  readonly revertible: readonly StepRef[];
}

/** An effect of a call, by its number among those of the call. */
export interface StepRef {
  readonly callId: string;
  readonly step: number;
  /** The words that the tool makes of its data, where they are other ones than the log has. */
  readonly description?: string;
}

/** A file was attached. It stands before the first message that has it; its content is in no other operation. */
export interface Attached extends Attachment {
  readonly type: 'attached';
  /** The id that messages refer to. */
  readonly id: string;
}

/** The session was disposed. The last operation of every session. */
export interface Disposed {
  readonly type: 'disposed';
  /** Present when a turn was left open, for the next session that opens the log. */
  readonly left?: true;
}

export type SessionOperation =
  | Configured
  | UndoStarted
  | Undone
  | Redone
  | DomainTouched
  | LateToolSettled
  | EndedEffectMoved
  | HeadMoved
  | PathCleared
  | ConversationReplaced
  | OwnerChanged
  | Attached
  | Disposed;
