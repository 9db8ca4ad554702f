import * as told from '../conversation/model-words.js';
import { copyOfCost, type Cost } from '../conversation/usage-report.js';
import { defined } from '../json/defined.js';
import { jsonCopy } from '../json/json-copy.js';
import type { AskReason } from '../operations/confirmation-operations.js';
import type { Verdict } from './guard.js';

/** Returns the verdict of a guard in one form. A value that is no verdict is a denial. */
export function readVerdict(answer: unknown): Exclude<Verdict, 'allow'> | 'allow' {
  if (answer === 'allow') return 'allow';
  if (typeof answer === 'object' && answer !== null) {
    const { deny, confirm, cost, because } = answer as {
      readonly [Field in 'deny' | 'confirm' | 'cost' | 'because']?: unknown;
    };
    if (typeof deny === 'string') return { deny };
    if (typeof confirm === 'string')
      return defined({
        confirm,
        cost: isCost(cost) ? copyOfCost(cost) : undefined,
        because: isAskReason(because) ? (jsonCopy(because) as unknown as AskReason) : undefined,
      });
  }
  return { deny: told.noVerdict };
}

function isAskReason(value: unknown): value is AskReason {
  if (typeof value !== 'object' || value === null) return false;
  const { code, capabilities } = value as { code?: unknown; capabilities?: unknown };
  if (code === 'capabilities')
    return Array.isArray(capabilities) && capabilities.every((one) => typeof one === 'string');
  return code === 'tool';
}

function isCost(value: unknown): value is Cost {
  if (typeof value !== 'object' || value === null) return false;
  const { amount, currency } = value as { amount?: unknown; currency?: unknown };
  return typeof amount === 'number' && Number.isFinite(amount) && typeof currency === 'string';
}
