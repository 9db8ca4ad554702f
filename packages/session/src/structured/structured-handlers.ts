import type { JsonObject } from '@banister/provider';
import { append, set, type Change } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';
import { initialParser, readPartialJson, type JsonParserState } from '../state/partial-json.js';
import { openPartsPath } from '../state/round-handlers.js';
import { noteRound, noteTurn } from '../state/turn-notes.js';

export const structuredHandlers = {
  outputArrived: (state, { delta }) => {
    const round = state.fold.turn?.round ?? null;
    if (round === null) return [];
    const path = ['fold', 'turn', 'round', 'output'] as const;
    const changes: Change[] = [round.output === undefined ? set(path, delta) : append(path, delta)];
    const parser = ofObject(state.fold.parsers[0] ?? initialParser, delta);
    const next = readPartialJson(parser, delta, ['partialOutput'], changes);
    changes.push(set(['fold', 'parsers', 0], next));
    return changes;
  },

  outputAccepted: (state, { text }) => [
    append(openPartsPath(state), { type: 'text', text }),
    set(['partialOutput'], JSON.parse(text) as JsonObject),
    ...noteRound(state, () => ({ accepted: true })),
  ],

  outputRejected: (state, { issues }) => [
    set(['partialOutput'], null),
    ...noteTurn(state, ({ round }) => ({
      ending: null,
      repair: { round: state.liveTurn?.rounds.length ?? 0, answer: round?.output ?? '', issues },
    })),
  ],
} satisfies Partial<AllHandlers>;

/** Returns the parser for a piece of output. If the value does not begin as an object, the parser becomes `broken`, and reads nothing. */
function ofObject(parser: JsonParserState, delta: string): JsonParserState {
  if (parser.mode !== 'value' || parser.stack.length > 0) return parser;
  const [first = '{'] = /\S/.exec(delta) ?? [];
  return first === '{' ? parser : { ...parser, mode: 'broken' };
}
