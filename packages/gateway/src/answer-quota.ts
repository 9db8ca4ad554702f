import {
  totalTokensOf,
  type ContentPart,
  type FilePart,
  type MessagePart,
  type ProviderRequest,
} from '@banister/provider';
import type { AnswerEnd } from './answer-stream.js';
import type { Permit } from './permits.js';
import { spanMs, type CostCeiling } from './policy.js';
import type { QuotaClaim, Reserved } from './quota-store.js';
import { overQuota, Refusal } from './refusal.js';

/** Characters per token, approximately. */
const CHARACTERS = 4;
/** Tokens per image, approximately. `PER_FILE` is the minimum for a file. */
const PER_IMAGE = 1_000;
const PER_FILE = 4_000;
/** The output tokens that are assumed for an answer without a limit of its own. */
const USUAL_ANSWER = 4_096;

/** Estimates the tokens of a request. The bytes of images and files do not count as text; everything else does. */
export function estimateInput({
  system,
  messages,
  tools,
  output,
}: Pick<ProviderRequest, 'system' | 'messages' | 'tools' | 'output'>): number {
  let tokens = 0;
  const withoutBytes = (part: MessagePart | ContentPart): unknown => {
    if (part.type === 'tool-result') return { ...part, content: part.content.map(withoutBytes) };
    if (part.type !== 'image' && part.type !== 'file') return part;
    tokens += part.type === 'image' ? PER_IMAGE : tokensOfFile(part);
    return { ...part, data: '' };
  };
  const worded = messages.map(({ parts, ...rest }) => ({ ...rest, parts: parts.map(withoutBytes) }));
  const words = system.length + JSON.stringify([worded, tools, output]).length;
  return tokens + Math.ceil(words / CHARACTERS);
}

/** Estimates the tokens of a file. It may be all text, but a PDF is mostly fonts and pictures. Four base64 characters are three bytes. */
function tokensOfFile({ data, mediaType }: FilePart): number {
  return Math.max(PER_FILE, estimateOutput(data.length * (mediaType.endsWith('/pdf') ? 3 / 16 : 3 / 4)));
}

/** Estimates the tokens of a number of characters. */
export function estimateOutput(characters: number): number {
  return Math.ceil(characters / CHARACTERS);
}

/**
 * Returns a request whose input and answer fit in each token ceiling. If the room for the answer is small, it becomes `maxOutputTokens`.
 *
 * @throws Refusal 413 if the input alone fills the ceiling, so that waiting does not help
 */
export function withinCeiling<T extends Pick<ProviderRequest, 'maxOutputTokens'>>(
  request: T,
  permits: readonly Pick<Permit, 'maxTokens'>[],
  inputTokens: number,
): T {
  const most = Math.min(...permits.map(({ maxTokens }) => maxTokens?.amount ?? Infinity));
  const room = Math.floor(most - inputTokens);
  if (room < 1)
    throw new Refusal(413, 'context-length', 'Your quota for the model is smaller than the request.', {
      details: { limit: 'maxTokens' },
    });
  return room < (request.maxOutputTokens ?? USUAL_ANSWER) ? { ...request, maxOutputTokens: room } : request;
}

/** Returns what an answer reserves of the quotas of a permit while it runs. The request comes from {@link withinCeiling}. */
export function claimsOf(
  { roundsPerMinute, concurrent, maxTokens, maxCost, suffix }: Permit,
  inputTokens: number,
  maxOutputTokens = USUAL_ANSWER,
): readonly QuotaClaim[] {
  const claims: QuotaClaim[] = [];
  if (concurrent !== undefined)
    claims.push({ name: `concurrent${suffix}`, amount: 1, max: concurrent, spanMs: null });
  if (roundsPerMinute !== undefined)
    claims.push({ name: `rounds${suffix}`, amount: 1, max: roundsPerMinute, spanMs: spanMs.minute });
  if (maxTokens !== undefined) {
    const { amount: max, per } = maxTokens;
    claims.push({
      name: `tokens${suffix}`,
      amount: inputTokens + maxOutputTokens,
      max,
      spanMs: spanMs[per],
    });
  }
  if (maxCost !== undefined) {
    const { amount: max, per } = maxCost;
    claims.push({ name: `cost${suffix}`, amount: reservedCost(maxCost), max, spanMs: spanMs[per] });
  }
  return claims;
}

function reservedCost({ amount, reserve = amount / 100 }: CostCeiling): number {
  return Math.min(amount, reserve);
}

/**
 * Returns what an answer spent. If the cost is not reported, or in another currency, the reserved cost stays, because unknown is not zero.
 * If the answer is incomplete, the report may cover only its beginning, and the model may have thought without output; so the report can
 * only raise the reserved amount. If the model was not asked, nothing was spent.
 */
export function spentBy(
  { maxCost, suffix = '' }: Partial<Pick<Permit, 'maxCost' | 'suffix'>>,
  { status, isAsked, usage }: Pick<AnswerEnd, 'status' | 'isAsked' | 'usage'>,
  estimate: { readonly inputTokens: number; readonly outputTokens: number },
  maxOutputTokens = USUAL_ANSWER,
): Record<string, number> {
  const [tokensName, costName] = [`tokens${suffix}`, `cost${suffix}`];
  if (!isAsked) return { [tokensName]: 0, [costName]: 0 };
  const isWhole = status === 'completed';
  const reported = totalTokensOf(usage);
  const { inputTokens, cost } = usage ?? {};
  // Some servers report 0 input tokens at the beginning.
  const isCounted = isAmount(inputTokens) && inputTokens > 0;
  const input = isCounted ? inputTokens : estimate.inputTokens;
  const output = isWhole ? estimate.outputTokens : Math.max(estimate.outputTokens, maxOutputTokens);
  const estimated = input + output;
  const tokens = !isAmount(reported) ? estimated : isWhole ? reported : Math.max(reported, estimated);
  const isKnown = cost?.currency === (maxCost?.currency ?? 'USD') && isAmount(cost.amount);
  const isBooked = isKnown && (isWhole || maxCost === undefined || cost.amount > reservedCost(maxCost));
  return { [tokensName]: tokens, ...(isBooked ? { [costName]: cost.amount } : {}) };
}

/** A report that is not a number would make the user's quota unusable; a negative report would raise it. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Throws if the reservation failed, or if the reply has another form: otherwise a store that replies `OK` would permit every answer. */
export function checkReserved(reserved: Reserved): void {
  if (typeof (reserved as Reserved | null | undefined)?.ok !== 'boolean')
    throw new Error('The QuotaStore returned an invalid reply: `ok` is missing.');
  if (reserved.ok) return;
  if ('seen' in reserved)
    throw new Refusal(409, 'conflict', 'The gateway has this request already.', {
      details: { request: reserved.seen },
    });
  const { claim: name, waitMs } = reserved;
  // The claim of an agent ends with its id.
  const [claim] = String(name).split('@');
  if (claim === 'rounds')
    throw overQuota(
      'rate-limit',
      'You send too many requests at the moment.',
      'roundsPerMinute',
      waitMs ?? 1_000,
    );
  if (claim === 'concurrent')
    throw overQuota('rate-limit', 'Too many of your answers run at once.', 'concurrent', waitMs ?? 1_000);
  const limit = claim === 'cost' ? 'maxCost' : 'maxTokens';
  throw overQuota('quota', 'Your quota for the model is used up.', limit, waitMs);
}
