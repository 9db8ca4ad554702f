import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { ExtensionRequest } from './extension-operations.js';

/** An answer may extend by at most this many times the limit of the turn, so that a limit cannot effectively be removed. */
const MOST_TIMES = 100;

type AskedLimit = Pick<ExtensionRequest, 'limit' | 'suggested'>;

/** Returns the amount of an extension, or `end`; a list of reasons if the answer is neither. */
export function readExtension(decision: unknown, request: AskedLimit): number | 'end' | readonly string[] {
  try {
    return read(decision, request);
  } catch (error) {
    // A getter of the answer has thrown.
    return [sentence(`The answer cannot be read: ${messageOf(error)}`)];
  }
}

function read(decision: unknown, { limit, suggested }: AskedLimit): number | 'end' | readonly string[] {
  const given = isJsonObject(decision) ? decision : {};
  const keys = Object.keys(given);
  if (keys.length === 1 && given['end'] === true) return 'end';
  const { extend } = given;
  if (keys.length !== 1 || !isJsonObject(extend))
    return [`The answer to an extension request is { extend: { ${nameOf(limit)}: … } } or { end: true }.`];
  const others = Object.keys(extend).filter((name) => name !== limit);
  if (others.length > 0)
    return others.map((name) => `The request is about ${limit}: ${name} cannot be extended.`);
  const amount: unknown = extend[limit];
  if (amount === undefined) return suggested;
  const most = suggested * MOST_TIMES;
  const isMoney = limit.endsWith('maxCost');
  const isNumber = typeof amount === 'number' && amount > 0 && (isMoney || Number.isInteger(amount));
  if (!isNumber) return [`The extension of ${limit} is no ${isMoney ? '' : 'whole '}number above 0.`];
  if (amount > most) return [`The extension of ${limit} is above ${most}.`];
  return amount;
}

function nameOf(limit: string): string {
  return limit.includes('.') ? `'${limit}'` : limit;
}
