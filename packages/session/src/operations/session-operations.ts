import type { Attachment } from '@banister/provider';
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
  /** Present if it is a step of a branch command: `regenerate`, `edit` or `switchTo`. */
  readonly branch?: true;
  /** The id of the child turn whose effects it moves; absent if it moves the effects of the whole turn. */
  readonly child?: string;
}

/** Whether another step of the same branch command follows, or the command ends. */
export type BranchStep = 'goes-on' | 'ends';

/** An undo ended; the report lists the effects that it took back. */
export interface Undone {
  readonly type: 'undone';
  readonly target: string;
  readonly report: UndoReport;
  /** Whether the turn can be redone. */
  readonly redoable: boolean;
  /** The revisions before and after, of the domains of the turn, and of every other domain that the undo changed. */
  readonly moved: Moved;
  /** Present for a step of a branch command. */
  readonly branch?: BranchStep;
  /** As in `undoStarted`. */
  readonly child?: string;
}

/** A redo ended; the report lists the effects that it made again. If the list `done` is empty, the turn has not changed. */
export interface Redone {
  readonly type: 'redone';
  readonly target: string;
  readonly report: UndoReport;
  /** The revisions before and after, as in `undone`. */
  readonly moved: Moved;
  /** As in `undone`. */
  readonly branch?: BranchStep;
  /** As in `undone`. */
  readonly child?: string;
}

/**
 * The app or the user changed a domain with undone turns, which cannot be redone any more. Emitted only if there is such a turn, or its
 * undo is running.
 */
export interface DomainTouched {
  readonly type: 'domainTouched';
  /** The id of the domain. */
  readonly domain: string;
}

/** A tool returned after its call had been aborted. */
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

/** An effect of an ended turn was taken back or made again, or the attempt failed. */
export interface EndedEffectMoved extends EffectMoved {
  /** The id of the turn. */
  readonly target: string;
}

/**
 * The head moved: `turns` and `conversation` are the path to another turn. The turns that left the path are kept. `retry`, `regenerate` and
 * `edit` move the head to the parent of a turn; `switchTo` moves it to the last turn of another branch.
 */
export interface HeadMoved {
  readonly type: 'headMoved';
  /** The turn that was the head; null before the first turn. */
  readonly from: string | null;
  /** The turn that is the head now; null for the beginning of the conversation. */
  readonly to: string | null;
  /** The effects of turns off the path that are still in place, or may be in place. The next turn has a note about them. */
  readonly stays: readonly StayingEffect[];
}

/**
 * The conversation was cleared: `turns` and `conversation` are empty, including the messages before the first turn. The turns and their
 * effects are kept. The operation creates a mark in the tree, which becomes the head.
 */
export interface PathCleared {
  readonly type: 'pathCleared';
  /** The id of the mark. */
  readonly id: string;
}

/**
 * Messages were removed from the conversation: the messages of the turn that is retried. It occurs only in logs of version 0.1; see
 * `headMoved`.
 */
export interface ConversationReplaced {
  readonly type: 'conversationReplaced';
  readonly reason: 'retry';
  /** Ids of the messages. */
  readonly removed: readonly string[];
}

/**
 * A session took over the log: from here on no other session writes. With the reason `unsaved`, the owner of the log put its own turn down,
 * and goes on as the owner.
 */
export interface OwnerChanged {
  readonly type: 'ownerChanged';
  /** Increases by one with each owner. With the reason `unsaved` the epoch is that of the same owner. */
  readonly epoch: number;
  /**
   * `opened`: a session opened the log. `hand-over`: another session released it. `stolen`: the other session did not answer. `unsaved`: the
   * log took no writes, and the owner stopped its turn, see the option `whenUnsaved`. `removed`: the log is gone, and no session owns it;
   * this value is never stored.
   */
  readonly reason: 'opened' | 'hand-over' | 'stolen' | 'unsaved' | 'removed';
  /** The effects that the new session can revert; all other effects are lost. */
  readonly revertible: readonly StepRef[];
}

/** Refers to an effect of a call, by its number among the effects of the call. */
export interface StepRef {
  readonly callId: string;
  readonly step: number;
  /** The tool's description of its data, if it differs from the description in the log. */
  readonly description?: string;
}

/** A file was attached. The operation comes before the first message with the file. No other operation has the content. */
export interface Attached extends Attachment {
  readonly type: 'attached';
  /** The id with which messages refer to the file. */
  readonly id: string;
}

/**
 * The session began to carry out a command of another session. This operation is stored before the first operation that the command causes,
 * or in the same record. A command that is refused, or that still waits, has no such operation. A later owner of the log does not begin the
 * command again.
 */
export interface CommandBegan {
  readonly type: 'commandBegan';
  /** The id of the command. If the command is sent again, its id is the same. */
  readonly command: string;
  /** The name of the command, such as `send`. */
  readonly name: string;
  /** The session that gave the command, as that session calls itself; absent if it is unknown. */
  readonly client?: string;
  /** The user who gave the command, as the host of the session knows the user; absent if the host states none. */
  readonly by?: string;
}

/** The session was disposed. The last operation of every session. */
export interface Disposed {
  readonly type: 'disposed';
  /** Present if a turn was left to the next session that opens the log. */
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
  | CommandBegan
  | Disposed;
