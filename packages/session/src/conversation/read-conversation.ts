import type { Attachments } from './attachment.js';
import type { Message } from './message.js';
import type { TurnRecord } from './turn-record.js';
import type { Mark } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';

/** The copy of a saved conversation, before its tree is checked. */
export interface ReadConversation {
  readonly sequence: number;
  readonly head: string | null;
  readonly prefix: readonly Message[];
  /** All turns, in order of start. */
  readonly turns: readonly ReadTurn[];
  readonly marks: readonly Mark[];
  readonly redo: readonly string[];
  readonly attachments?: Attachments;
}

/** The copy of a saved turn. */
export interface ReadTurn {
  readonly turn: TurnRecord;
  readonly messages: readonly Message[];
  readonly undo?: TurnUndo;
}
