import type { JsonObject, ToolCallView } from '@handrail/session';
import { isJsonObject } from '@handrail/session';
import { columnNamed, findCard, type ColumnId, type Columns } from './board.js';

/** The effect on the board that a call has announced and not had yet, as far as its arguments can be read. */
export type PendingEffect = {
  readonly callId: string;
  readonly stage: 'assembling' | 'waiting' | 'executing';
} & (
  | { readonly type: 'add'; readonly column: ColumnId; readonly title: string }
  | { readonly type: 'move'; readonly cardId: string; readonly title: string; readonly column: ColumnId }
  | { readonly type: 'rename'; readonly cardId: string; readonly title: string }
  | { readonly type: 'delete'; readonly cardId: string }
);

/** Reads the open calls of the agent as effects on the board, half-written arguments included. */
export function pendingEffects(calls: readonly ToolCallView[], columns: Columns): readonly PendingEffect[] {
  return calls.flatMap((call) => {
    const { state: stage } = call;
    const args = call.ranWith ?? call.arguments;
    if (stage === 'settled' || !isJsonObject(args)) return [];
    return effectsOf(call.tool, args, columns).map(
      (effect) => ({ ...effect, callId: call.id, stage }) as PendingEffect,
    );
  });
}

/** An effect that shows as a card which is not there yet. */
export type GhostEffect = Extract<PendingEffect, { type: 'add' | 'move' }>;

export function isGhost(effect: PendingEffect): effect is GhostEffect {
  return effect.type === 'add' || effect.type === 'move';
}

type Effect = PendingEffect extends infer E
  ? E extends unknown
    ? Omit<E, 'callId' | 'stage'>
    : never
  : never;

function effectsOf(tool: string, args: JsonObject, columns: Columns): readonly Effect[] {
  const text = (name: string): string => (typeof args[name] === 'string' ? args[name] : '');
  const column = columnNamed(columns, text('column'));
  const found = text('card') === '' ? undefined : findCard(columns, text('card'));
  switch (tool) {
    case 'board.add_card':
      return column ? [{ type: 'add', column: column.id, title: text('title') }] : [];
    case 'board.move_card':
      return found && column && column.id !== found.place.column
        ? [{ type: 'move', cardId: found.card.id, title: found.card.title, column: column.id }]
        : [];
    case 'board.edit_card':
      return found && text('title') !== ''
        ? [{ type: 'rename', cardId: found.card.id, title: text('title') }]
        : [];
    case 'board.delete_card':
      return found ? [{ type: 'delete', cardId: found.card.id }] : [];
    case 'board.clear_column':
      return (column?.cards ?? []).map((card) => ({ type: 'delete', cardId: card.id }));
    default:
      return [];
  }
}
