import { isSetAside, type TurnRecord } from '../conversation/turn-record.js';
import { allTurns } from '../conversation/turn-tree.js';
import type { JsonObject } from '../json/json.js';
import type { OperationOf } from '../operations/operation.js';
import type { StructuredOperation } from '../operations/structured-operations.js';
import { branchesOf } from './branches.js';
import { append, set, type Change } from './change.js';
import type { Handlers, SettingAside } from './handlers.js';
import { initialParser, readPartialJson, type JsonParserState } from './partial-json.js';
import { openPartsPath } from './round-handlers.js';
import { afterTurn, type FoldState } from './session-state.js';
import { moveHead } from './tree.js';
import { turnHandlers } from './turn-handlers.js';
import { noteRound, noteTurn } from './turn-notes.js';

export const structuredHandlers: Handlers<StructuredOperation['type'] | SettingAside> = {
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

  cancelled: (state, operation) => setAside(state, operation, turnHandlers.cancelled(state, operation)),
  failed: (state, operation) => setAside(state, operation, turnHandlers.failed(state, operation)),
};

/** Returns the parser for a piece of text whose value has to be an object: it reads no other one. */
function ofObject(parser: JsonParserState, delta: string): JsonParserState {
  if (parser.mode !== 'value' || parser.stack.length > 0) return parser;
  const [first = '{'] = /\S/.exec(delta) ?? [];
  return first === '{' ? parser : { ...parser, mode: 'broken' };
}

/**
 * Returns the changes at the end of a turn; those of a `generate` put its record aside, so that conversation and head are as before it. The
 * fields about the last turn are about this one all the same.
 */
function setAside(
  state: FoldState,
  { type }: OperationOf<SettingAside>,
  ending: readonly Change[],
): readonly Change[] {
  const { liveTurn, turns, fold } = state;
  if (liveTurn === null || !isSetAside({ ...liveTurn, status: type })) return ending;
  const isRecord = ({ path, kind }: Change) => path[0] === 'turns' && kind === 'append';
  const ended = ending.find(isRecord)?.value as TurnRecord;
  const after = { ...state, turns: [...turns, ended] };
  const others = allTurns(after.turns, fold.aside).filter(({ parentId }) => parentId === ended.parentId);
  const branches = Object.entries(state.branches).filter(([id]) => others.every((turn) => turn.id !== id));
  const about = Object.keys(afterTurn(undefined));
  return [
    ...moveHead(after, ended.parentId).filter(({ path }) => !about.includes(path[0])),
    set(['branches'], { ...Object.fromEntries(branches), ...branchesOf(others) }),
    ...ending.filter((change) => !isRecord(change)),
    set(['partialOutput'], null),
  ];
}
