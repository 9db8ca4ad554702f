import { copyOfCost, type Cost } from '../conversation/usage-report.js';
import type { Verdict } from './guard.js';

/** Returns the verdict of a guard in one form. A value that is no verdict is a denial. */
export function readVerdict(answer: unknown): Exclude<Verdict, 'allow'> | 'allow' {
  if (answer === 'allow') return 'allow';
  if (typeof answer === 'object' && answer !== null) {
    const { deny, confirm, cost } = answer as { deny?: unknown; confirm?: unknown; cost?: unknown };
    if (typeof deny === 'string') return { deny };
    if (typeof confirm === 'string') return isCost(cost) ? { confirm, cost: copyOfCost(cost) } : { confirm };
  }
  return { deny: 'A guard gave no clear answer.' };
}

function isCost(value: unknown): value is Cost {
  if (typeof value !== 'object' || value === null) return false;
  const { amount, currency } = value as { amount?: unknown; currency?: unknown };
  return typeof amount === 'number' && Number.isFinite(amount) && typeof currency === 'string';
}
