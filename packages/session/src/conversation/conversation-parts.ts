import type { Attachments, Conversation, Message } from '@banister/provider';
import type { Compaction } from './compaction.js';
import type { TurnRecord } from './turn-record.js';
import type { AsideTurn, Mark } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';

/** The parts of a session that its saved form has. All other parts can be made from these parts, as far as the conversation is concerned. */
export interface ConversationParts {
  /** The number of the last operation. */
  readonly sequence: number;
  readonly headTurnId: string | null;
  /** The messages of the path to the head. */
  readonly conversation: Conversation;
  /** The ended turns on the path to the head. */
  readonly turns: readonly TurnRecord[];
  /** The running turn, which is the head; null if no turn runs. */
  readonly liveTurn: TurnRecord | null;
  /** The turns off the path. */
  readonly aside: readonly AsideTurn[];
  /** The effects of turns, by turn id. */
  readonly undo: Readonly<Record<string, TurnUndo>>;
  readonly marks: readonly Mark[];
  /** The turns that can be redone, in the order of their undo. */
  readonly redo: readonly string[];
  /** The marks of compactions on the path. */
  readonly compactions: readonly Compaction[];
  readonly attachments: Attachments;
  /** The messages before the first turn, if the path to the head was cleared; null if it was not. */
  readonly prefix: readonly Message[] | null;
}
