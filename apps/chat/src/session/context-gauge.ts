import type { AgentSession } from '@banister/session';

/** How much of the model's context window the conversation fills, and what that means. */
export interface ContextGauge {
  /** From 0 to 100. A conversation that does not fit counts as 100. */
  readonly percent: number;
  /** The room that is left. */
  readonly words: string;
  /** The number beside the gauge; null while there is so much room that it means nothing to the user. */
  readonly number: string | null;
  /** Whether little room is left. */
  readonly isHigh: boolean;
}

export const gaugeMeaning = 'The model reads the whole chat with each message.';

/** The share from which the gauge has a number. */
const HALF = 50;
/** The share from which the gauge warns. */
const HIGH = 80;

/** null where the window of the model is unknown. Reads a signal. */
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
