import type { Confirmation } from '@handrail/session';

/** What a call costs, about. */
export function costWords({ amount, currency }: NonNullable<Confirmation['cost']>): string {
  return `about ${new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount)}`;
}

/** @param until milliseconds since the epoch, like `now` */
export function countdownWords(until: number, now: number): string {
  return `No answer in ${Math.max(0, Math.ceil((until - now) / 1000))} s counts as no`;
}
