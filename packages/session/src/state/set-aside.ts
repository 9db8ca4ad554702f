import { isSetAside, type TurnRecord } from '../conversation/turn-record.js';
import { allTurns } from '../conversation/turn-tree.js';
import { branchesOf } from './branches.js';
import { set, type Change } from './change.js';
import { afterTurn, type FoldState } from './session-state.js';
import { moveHead } from './tree.js';

/**
 * Returns the changes at the end of a turn. If the turn is a `generate` without an output, the changes move its record off the path to the
 * head: the conversation and the head are as before the turn. The fields of the state about the last turn describe this turn.
 */
export function setAside(
  state: FoldState,
  type: 'cancelled' | 'failed',
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
