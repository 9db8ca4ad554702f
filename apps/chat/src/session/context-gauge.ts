import type { AgentSession } from '@banister/session';

/** How much of the model's context window the conversation fills. */
export interface ContextGauge {
  /** From 0 to 100. A conversation that does not fit counts as 100. */
  readonly percent: number;
  readonly words: string;
  /** Whether little room is left. */
  readonly isHigh: boolean;
}

/** The share from which the gauge warns. */
const HIGH = 80;

/** null where the window of the model is unknown. Reads a signal. */
export function contextGauge(session: AgentSession): ContextGauge | null {
  const pressure = session.contextPressure.value;
  if (pressure === null) return null;
  const used = Math.round(pressure * 100);
  return {
    percent: Math.min(Math.max(used, 0), 100),
    words: used > 100 ? 'The context does not hold it all' : `${used} % of the context used`,
    isHigh: used >= HIGH,
  };
}

export function sameGauge(a: ContextGauge | null, b: ContextGauge | null): boolean {
  return a === b || (a?.words === b?.words && a?.percent === b?.percent);
}
