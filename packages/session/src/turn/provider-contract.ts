import type { JsonValue } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { longestJson } from '@banister/provider/internal/json/strict-parse';

/** Returns the error for a provider that breaks its contract. */
export function violation(what: string): AgentSessionError {
  return new AgentSessionError(
    'provider-contract',
    sentence(`The model provider broke its contract: ${what}`),
  );
}

/** Returns the text of an event. It makes no further check, because a turn has thousands of text events. */
export function textOf({ type, delta }: { readonly type: string; readonly delta: string }): string {
  if (typeof delta !== 'string') throw violation(`"${type}" without a text`);
  return delta;
}

/** Throws if the arguments are too long to be parsed, so that the rest of them is not read. */
export function checkLength(tool: string, length: number): void {
  if (length > longestJson)
    throw violation(`the arguments of a call of "${tool}" are longer than ${longestJson} characters`);
}

/** Throws if the usage cannot be added up: each count must be a finite number that is not negative, and a cost must have a currency. */
export function checkUsage(usage: unknown): void {
  if (!isJsonObject(usage)) throw violation('usage that is no object');
  const { cost, ...tokens } = usage;
  for (const [field, count] of Object.entries(tokens))
    if (count !== undefined && !isAmount(count))
      throw violation(`usage whose ${field} is no number from 0 on`);
  if (cost === undefined) return;
  if (!isJsonObject(cost) || !isAmount(cost.amount) || typeof cost.currency !== 'string')
    throw violation('a cost without an amount from 0 on and its currency');
}

/** Returns a copy of opaque data. Throws if the data is not JSON. */
export function opaqueData(data: unknown): JsonValue {
  try {
    return jsonCopy(data);
  } catch (error) {
    throw violation(`opaque data that is no JSON: ${messageOf(error)}`);
  }
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
