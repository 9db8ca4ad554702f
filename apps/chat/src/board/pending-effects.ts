import {
  callOf,
  type JsonObject,
  type ToolCallView,
  type ToolSchema,
  type ToolShape,
} from '@banister/session';
import {
  columnNamed,
  findCard,
  type Card,
  type CardDetails,
  type ColumnId,
  type Columns,
  type PlacedCard,
} from './board.js';
import { changedParts, detailsIn, editedCard } from './card-details.js';
import { addCard, clearColumn, deleteCard, editCard, moveCard } from './board-tools.js';

/** The effect on the board that a call announces but has not had yet, as far as its arguments can be read. */
export type PendingEffect = {
  readonly callId: string;
  readonly stage: Exclude<ToolCallView['state'], 'settled'>;
} & (
  | ({ readonly type: 'add'; readonly column: ColumnId; readonly title: string } & CardDetails)
  | ({
      readonly type: 'move';
      readonly cardId: string;
      readonly title: string;
      readonly column: ColumnId;
    } & CardDetails)
  | { readonly type: 'edit'; readonly cardId: string; readonly card: Card }
  | { readonly type: 'delete'; readonly cardId: string }
);

/** Returns the effects of the agent's open calls on the board, half-written arguments included. */
export function pendingEffects(calls: readonly ToolCallView[], columns: Columns): readonly PendingEffect[] {
  return calls.flatMap((call) => {
    const { id: callId, state: stage } = call;
    if (stage === 'settled') return [];
    return effectsOf(call, columns).map((effect) => ({ ...effect, callId, stage }));
  });
}

/** An effect that is shown as a card that does not exist yet. */
export type GhostEffect = Extract<PendingEffect, { type: 'add' | 'move' }>;

export function isGhost(effect: PendingEffect): effect is GhostEffect {
  return effect.type === 'add' || effect.type === 'move';
}

/** Returns the name by which the motion identifies a ghost. */
export function ghostKeyOf({ callId }: PendingEffect): string {
  return `ghost-${callId}`;
}

type Effect = PendingEffect extends infer E
  ? E extends unknown
    ? Omit<E, 'callId' | 'stage'>
    : never
  : never;

function effectsOf(call: ToolCallView, columns: Columns): readonly Effect[] {
  const added = argumentsOf(addCard, call);
  if (added) {
    const column = columnNamed(columns, added.column ?? '');
    return column ? [{ type: 'add', column: column.id, title: added.title ?? '', ...detailsIn(added) }] : [];
  }
  const moved = argumentsOf(moveCard, call);
  if (moved) {
    const found = cardIn(columns, moved.card);
    const column = columnNamed(columns, moved.column ?? '');
    return found && column && column.id !== found.place.column
      ? [
          {
            type: 'move',
            cardId: found.card.id,
            title: found.card.title,
            column: column.id,
            ...detailsIn(found.card),
          },
        ]
      : [];
  }
  const edited = argumentsOf(editCard, call);
  if (edited) {
    const found = cardIn(columns, edited.card);
    if (!found) return [];
    const card = editedCard(found.card, edited as JsonObject);
    return changedParts(found.card, card).length > 0 ? [{ type: 'edit', cardId: found.card.id, card }] : [];
  }
  const deleted = argumentsOf(deleteCard, call);
  if (deleted) {
    const found = cardIn(columns, deleted.card);
    return found ? [{ type: 'delete', cardId: found.card.id }] : [];
  }
  const cards = columnNamed(columns, argumentsOf(clearColumn, call)?.column ?? '')?.cards ?? [];
  return cards.map((card) => ({ type: 'delete', cardId: card.id }));
}

/**
 * Returns the arguments with which a call of the tool will run, as far as they are known; undefined for a
 * call of another tool.
 */
function argumentsOf<const S extends ToolSchema>(tool: ToolShape<S>, call: ToolCallView) {
  const typed = callOf(tool, call);
  return typed?.ranWith ?? typed?.arguments;
}

function cardIn(columns: Columns, reference = ''): PlacedCard | undefined {
  return reference === '' ? undefined : findCard(columns, reference);
}
