import type { Clock } from '@banister/provider';
import { LimitClock } from './limit-clock.js';

/**
 * The clocks of one turn, by their limits: the time of the turn, and the time for which a model thinks. Each agent of the turn has a part in
 * them, its `AgentClock`. So the time in which several agents work counts once, and the clocks stand still when no agent works.
 */
export type TurnTime = Readonly<Record<'timeoutMs' | 'maxThinkingMs', LimitClock>>;

/** Starts the clocks of a turn. `counted` is the time that an earlier session counted for a resumed turn. */
export function turnTime(
  clock: Clock,
  { timeoutMs, maxThinkingMs }: Readonly<Record<keyof TurnTime, number>>,
  counted: number,
): TurnTime {
  return {
    timeoutMs: new LimitClock(clock, timeoutMs, counted),
    maxThinkingMs: new LimitClock(clock, maxThinkingMs),
  };
}
