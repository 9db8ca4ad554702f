import type { AgentSession } from '@banister/session';

/** How full the model's context window is, and what that means. */
export interface ContextGauge {
  /** From 0 to 100. A conversation that does not fit counts as 100. */
  readonly percent: number;
  /** The remaining room, in words. */
  readonly words: string;
  /** The number beside the gauge; null while there is plenty of room. */
  readonly number: string | null;
  /** Whether little room is left. */
  readonly isHigh: boolean;
}

export const gaugeMeaning = 'The model reads the whole chat with each message.';

/** From this percentage on, the gauge has a number. */
const HALF = 50;
/** From this percentage on, the gauge warns. */
const HIGH = 80;

/** Returns null if the window of the model is unknown. Reads a signal. */
export function contextGauge(session: AgentSession): ContextGauge | null {
  const pressure = session.contextPressure.value;
  if (pressure === null) return null;
  const used = Math.round(pressure * 100);
  return {
    percent: Math.min(Math.max(used, 0), 100),
    words:
      used > 100 ? 'The model has no room for the whole chat' : `${100 - used} % of the model’s room is left`,
    number: used < HALF ? null : `${Math.min(used, 100)} %`,
    isHigh: used >= HIGH,
  };
}

export function sameGauge(a: ContextGauge | null, b: ContextGauge | null): boolean {
  return a === b || (a?.words === b?.words && a?.percent === b?.percent);
}
