import type { TurnRecord } from '@banister/session';
import { visibleText } from '../text/visible-text.js';

/** Returns the line about a turn that another provider continued; null for any other turn. */
export function switchWords({
  switches = [],
  status,
}: Pick<TurnRecord, 'switches' | 'status'>): string | null {
  const last = switches.at(-1);
  if (last === undefined) return null;
  const silent = [...new Set(switches.map(({ from }) => from.model))].join(' and ');
  const words = status === 'failed' ? 'Also asked' : status === 'running' ? 'Carried on by' : 'Answered by';
  return visibleText(`${words} ${last.to.model} because ${silent} did not answer`);
}
