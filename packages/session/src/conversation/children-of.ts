import { callsOf, type ChildTurn, type TurnRecord } from './turn-record.js';

/** Returns the child turns of a turn at all depths: each before its own child turns, in the order of their runs. */
export function childrenOf(turn: Pick<TurnRecord, 'rounds'>): readonly ChildTurn[] {
  return turn.rounds
    .flatMap(callsOf)
    .flatMap(({ children = [] }) => children.flatMap((child) => [child, ...childrenOf(child)]));
}
