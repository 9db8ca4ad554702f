import type { AgentSession, Operation, TurnRecord } from '@banister/session';
import { signal } from '@banister/session/signals';
import { visibleText } from '../text/visible-text.js';

/** How long turns took, as this page saw it, because records have no times. */
export interface TurnTimes {
  /** Follows the turns of a session from here on. */
  follow(session: Pick<AgentSession, 'operations$' | 'link'>): void;
  /**
   * Returns the time of a turn in milliseconds; null while it runs, and for a turn of an earlier page or
   * another tab. Reads a signal.
   */
  of(turnId: string): number | null;
}

const ends = new Set<Operation['type']>(['completed', 'stopped', 'cancelled', 'failed']);

export function createTurnTimes(): TurnTimes {
  const times = signal<ReadonlyMap<string, number>>(new Map());
  return {
    follow(session) {
      let began: { readonly id: string; readonly at: number } | null = null;
      session.operations$.subscribe((operation: Operation) => {
        if (session.link.peek().role !== 'writer') return;
        if (operation.type === 'turnStarted') began = { id: operation.turnId, at: operation.at };
        if (began === null || !ends.has(operation.type)) return;
        times.value = new Map(times.peek()).set(began.id, operation.at - began.at);
        began = null;
      });
    },
    of: (turnId) => times.value.get(turnId) ?? null,
  };
}

/** Returns the time, the tokens and the cost of a turn, as far as they are known: "4 s · 1,204 tokens · 0.002 EUR". */
export function turnFigures({ outcome }: Pick<TurnRecord, 'outcome'>, ms: number | null): string {
  const { totalTokens = 0, cost = null } = outcome?.usage ?? {};
  const figures = [
    ms === null ? '' : timeWords(ms),
    totalTokens === 0 ? '' : `${totalTokens.toLocaleString('en')} tokens`,
    cost === null || cost === undefined
      ? ''
      : `${cost.amount.toLocaleString('en', { maximumFractionDigits: 6 })} ${cost.currency}`,
  ];
  return figures.filter((figure) => figure !== '').join(' · ');
}

/**
 * Returns problems that the last turn noticed and ignored: tools that the model's server may not accept, and
 * context that could not be read. Reads signals.
 */
export function turnNotes({
  lastSchemaWarnings,
  lastContextDiagnostics,
}: Pick<AgentSession, 'lastSchemaWarnings' | 'lastContextDiagnostics'>): readonly string[] {
  return [
    ...lastContextDiagnostics.value.map(
      ({ source, message }) => `The agent did not see “${source}”: ${message}`,
    ),
    ...lastSchemaWarnings.value.map(
      ({ message }) => `The model may not be able to use one of the tools: ${message}`,
    ),
  ].map(visibleText);
}

function timeWords(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
