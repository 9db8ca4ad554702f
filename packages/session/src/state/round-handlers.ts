import { defined } from '@banister/provider/internal/json/defined';
import { addUsage, totalsOf } from '@banister/provider/internal/messages/usage-report';
import type { TurnPart } from '../conversation/turn-record.js';
import { roundBreak } from '../operations/round-break.js';
import { append, set, type Change, type Path } from './change.js';
import type { AllHandlers } from './handlers.js';
import type { FoldState } from './session-state.js';
import { newRoundNotes, noteTurn } from './turn-notes.js';

export const roundHandlers = {
  schemaWarnings: (_state, { warnings }) => [set(['lastSchemaWarnings'], warnings)],

  contextRefreshed: (state, { diagnostics }) =>
    diagnostics.length === 0 && state.lastContextDiagnostics.length === 0
      ? []
      : [set(['lastContextDiagnostics'], diagnostics)],

  roundStarted: (state, { budget, contextPressure, contextWindow }) => [
    set(['phase'], 'preparing'),
    set(['budget'], budget),
    set(['contextPressure'], contextPressure),
    ...noteWindow(contextWindow),
    ...noteTurn(state, () => ({
      round: {
        ...newRoundNotes,
        textStart: state.currentText.length,
        thinkingStart: state.currentThinking.length,
      },
    })),
    set(['fold', 'parsers'], []),
    append(['liveTurn', 'rounds'], { parts: [] }),
  ],

  text: (state, { delta }) => {
    const parts = openParts(state);
    const last = parts.length - 1;
    if (parts[last]?.type === 'text')
      return [append(['currentText'], delta), append(partPath(state, last, 'text'), delta)];
    return [
      append(['currentText'], joined(state.currentText, parts, 'text', delta)),
      append(openPartsPath(state), { type: 'text', text: delta }),
    ];
  },

  thinking: (state, { delta, signature, signedBy, owner }) => {
    const parts = openParts(state);
    const last = parts.length - 1;
    const open = parts[last];
    const changes: Change[] = [
      append(['currentThinking'], joined(state.currentThinking, parts, 'thinking', delta)),
    ];
    // A signature closes a block. Later thinking is a separate block with its own signature.
    if (open?.type === 'thinking' && open.signature === undefined) {
      changes.push(append(partPath(state, last, 'text'), delta));
      if (signature !== undefined) changes.push(set(partPath(state, last, 'signature'), signature));
      if (signedBy !== undefined) changes.push(set(partPath(state, last, 'signedBy'), signedBy));
      if (owner !== undefined) changes.push(set(partPath(state, last, 'owner'), owner));
    } else {
      const part = defined({ type: 'thinking', text: delta, signature, signedBy, owner });
      changes.push(append(openPartsPath(state), part));
    }
    return changes;
  },

  opaque: (state, { part }) => [append(openPartsPath(state), part)],

  usage: (state, { report, budget }) => [
    set(['lastUsageReport'], report),
    set(['budget'], budget),
    set(['totals'], totalsOf(addUsage(state.fold.spent, report))),
    ...noteTurn(state, ({ besides }) => (besides === undefined ? {} : { besides: report })),
  ],

  roundCompleted: (state, { budget }) => [
    set(['budget'], budget),
    ...noteTurn(state, () => ({ round: null })),
    set(['fold', 'parsers'], []),
  ],
} satisfies Partial<AllHandlers>;

/** Returns the change that notes the context window of the model. */
function noteWindow(window: number | undefined): readonly Change[] {
  return [set(['fold', 'context', 'window'], window ?? null)];
}

/** Returns a piece for the text of the whole turn. The first piece of a round gets a blank line before it. */
function joined(
  before: string,
  parts: readonly TurnPart[],
  type: 'text' | 'thinking',
  delta: string,
): string {
  if (before === '' || delta === '') return delta;
  return parts.some((part) => part.type === type && part.text !== '') ? delta : roundBreak + delta;
}

/** Returns the parts of the open round. */
export function openParts(state: FoldState): readonly TurnPart[] {
  return state.liveTurn?.rounds.at(-1)?.parts ?? [];
}

/** Returns the path of the parts of the open round. */
export function openPartsPath(state: FoldState): Path {
  return ['liveTurn', 'rounds', openRound(state), 'parts'];
}

/** Returns the path of a field of a part of the open round. */
export function partPath(state: FoldState, position: number, field: string): Path {
  return ['liveTurn', 'rounds', openRound(state), 'parts', position, field];
}

function openRound(state: FoldState): number {
  return (state.liveTurn?.rounds.length ?? 1) - 1;
}
