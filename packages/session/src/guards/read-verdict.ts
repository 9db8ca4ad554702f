import type { Cost } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { copyOfCost } from '@banister/provider/internal/messages/usage-report';
import type { AskReason } from '../consent/confirmation-operations.js';
import type { Verdict } from './guard.js';

/** Returns the verdict of a guard in a uniform form. Throws for a value that is not a verdict. */
export function readVerdict(answer: unknown): Exclude<Verdict, 'allow'> | 'allow' {
  if (answer === 'allow') return 'allow';
  const { deny, forUser, confirm, cost, because } = Object(answer) as {
    readonly [Field in 'deny' | 'forUser' | 'confirm' | 'cost' | 'because']?: unknown;
  };
  if (typeof deny === 'string') {
    if (forUser !== undefined && typeof forUser !== 'string')
      throw new Error('the forUser of its verdict is no string');
    return defined({ deny, forUser });
  }
  if (typeof confirm !== 'string')
    throw new Error('its verdict is none of "allow", { confirm: text } and { deny: text }');
  return defined({
    confirm,
    cost: isCost(cost) ? copyOfCost(cost) : undefined,
    because: isAskReason(because) ? (jsonCopy(because) as unknown as AskReason) : undefined,
  });
}

function isAskReason(value: unknown): value is AskReason {
  const { code, capabilities } = Object(value) as { code?: unknown; capabilities?: unknown };
  return code === 'capabilities'
    ? Array.isArray(capabilities) && capabilities.every((one) => typeof one === 'string')
    : code === 'tool';
}

function isCost(value: unknown): value is Cost {
  const { amount, currency } = Object(value) as { amount?: unknown; currency?: unknown };
  return Number.isFinite(amount) && typeof currency === 'string';
}
