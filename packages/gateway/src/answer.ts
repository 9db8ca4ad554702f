import { isAgentSessionError, monotonicTime, type Provider, type ProviderRequest } from '@banister/provider';
import { formatFor } from './answer-format.js';
import {
  checkReserved,
  claimsOf,
  estimateInput,
  estimateOutput,
  spentBy,
  withinCeiling,
} from './answer-quota.js';
import { idempotencyKey, readAnswerRequest, type AnswerRequest } from './answer-request.js';
import { AnswerStream, type AnswerEnd } from './answer-stream.js';
import { applyPolicy } from './apply-policy.js';
import { callHook } from './call-hook.js';
import { permitsOf, type Permit } from './permits.js';
import type { Exchange, GatewayParts, KnownUser } from './gateway-parts.js';
import { modelFor } from './model-for.js';
import { askModel } from './model-events.js';
import type { Reservation } from './quota-store.js';
import { readBody } from './read-body.js';
import { reportError } from './report-error.js';
import { scopeName } from './scope-name.js';
import { openMessages, sealEvent } from './sealed-parts.js';
import type { SealScope } from './seal.js';

/** How much longer than the longest answer a reservation is kept, in milliseconds. */
const GRACE_MS = 60_000;
/** The default interval between two keep-alive messages, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/** A request that is ready to be sent to its model, and what belongs to it. */
interface Permitted {
  readonly known: KnownUser;
  readonly permits: readonly Permit[];
  readonly scope: SealScope;
  readonly provider: Provider;
  readonly request: ProviderRequest;
  readonly reservation: Reservation;
  readonly inputTokens: number;
}

/** Answers a request to a model: reads and checks it, reserves its quota, and streams the answer. Rejects with a refusal. */
export async function answerRequest(
  parts: GatewayParts,
  request: Request,
  known: KnownUser,
  exchange: Exchange,
): Promise<Response> {
  const prepared = await inPreparation(parts, known, () => prepare(parts, request, known, exchange));
  return stream(parts, request, prepared);
}

/** Refuses a user who sends too many requests at once, before their bodies fill the memory and their seals occupy the processor. */
async function inPreparation<T>(
  { preparing }: GatewayParts,
  { user, policy }: KnownUser,
  work: () => Promise<T>,
): Promise<T> {
  const count = preparing.get(user) ?? 0;
  if (count >= policy.concurrent) checkReserved({ ok: false, claim: 'concurrent', waitMs: null });
  preparing.set(user, count + 1);
  try {
    return await work();
  } finally {
    const rest = preparing.get(user)! - 1;
    if (rest > 0) preparing.set(user, rest);
    else preparing.delete(user);
  }
}

async function prepare(
  parts: GatewayParts,
  request: Request,
  known: KnownUser,
  exchange: Exchange,
): Promise<Permitted> {
  const { options, quotas, clock } = parts;
  const { user, policy } = known;
  const key = attemptOf(request);
  const asked = readAnswerRequest(await readBody(request, policy.maxBodyBytes, clock));
  exchange.agent = asked.agent;
  const permits = permitsOf(policy, asked.agent);
  const { alias, provider } = modelFor(parts, permits, asked.model);
  exchange.model = alias;
  const scope = { user, alias };
  const whole = await permittedRequest(parts, asked, permits, scope);
  const inputTokens = estimateInput(whole);
  const permitted = withinCeiling(whole, permits, inputTokens);
  void callHook(
    () => (exchange.content = options.logContent?.(permitted)),
    (error) => reportError(parts, { error, user, model: alias }),
  );
  const reservation = { user, key };
  const claims = permits.flatMap((permit) => claimsOf(permit, inputTokens, permitted.maxOutputTokens));
  checkReserved(await quotas.reserve(reservation, claims, policy.maxAnswerMs + GRACE_MS));
  return { known, permits, scope, provider, request: permitted, reservation, inputTokens };
}

function stream(
  parts: GatewayParts,
  { signal, headers }: Pick<Request, 'signal' | 'headers'>,
  permitted: Permitted,
): Response {
  const { options, clock, ends, isOpen, sealer } = parts;
  const { known, scope, provider, request } = permitted;
  const format = formatFor(headers);
  const start = monotonicTime(clock);
  const { body } = new AnswerStream({
    format,
    clock,
    keepAliveMs: options.keepAliveMs ?? KEEP_ALIVE_MS,
    maxAnswerMs: known.policy.maxAnswerMs,
    isExposed: isOpen,
    clientGone: signal,
    ask: (connection) => askModel(provider, request, connection),
    seal: (event, owner) => sealEvent(event, owner, scope, sealer),
    onEnd(end) {
      const settled = settle(parts, permitted, end, monotonicTime(clock) - start);
      ends.add(settled);
      void settled.then(() => ends.delete(settled));
    },
  });
  // nginx reads the last header: it does not buffer the answer.
  return new Response(body, { headers: { 'content-type': format.contentType, 'x-accel-buffering': 'no' } });
}

/** Opens what was sealed for this user, and applies the policy. */
async function permittedRequest(
  { sealer }: GatewayParts,
  asked: AnswerRequest,
  permits: readonly Permit[],
  scope: SealScope,
): Promise<ProviderRequest> {
  const opened = { ...asked, messages: await openMessages(asked.messages, scope, sealer) };
  // Users share an account at the model's server: without a prefix, a user who sends another user's key would get that user's answer.
  const key = `${await scopeName(scope)}-${asked.idempotencyKey}`;
  return { ...applyPolicy(opened, permits), idempotencyKey: key };
}

/** Books what an answer spent, and reports it. Never rejects, because there is no client left to tell. */
async function settle(
  parts: GatewayParts,
  { known: { user }, permits, scope: { alias: model }, request, reservation, inputTokens }: Permitted,
  end: AnswerEnd,
  durationMs: number,
): Promise<void> {
  const { options, quotas } = parts;
  const { status, isAsked, usage, characters, error } = end;
  const estimate = { inputTokens: isAsked ? inputTokens : 0, outputTokens: estimateOutput(characters) };
  const report = (thrown: unknown) => reportError(parts, { error: thrown, user, model });
  if (error !== null) report(error);
  const spent = Object.assign(
    {},
    ...permits.map((permit) => spentBy(permit, end, estimate, request.maxOutputTokens)),
  ) as Record<string, number>;
  await callHook(() => quotas.settle(reservation, spent), report);
  const code = error === null ? null : isAgentSessionError(error) ? error.code : 'provider-contract';
  const { agent } = request;
  await callHook(
    () => options.onUsage?.({ user, model, agent, status, usage, estimate, durationMs, code }),
    report,
  );
}

/** Returns the idempotency key; a request without a key gets a new key. */
function attemptOf({ headers }: Request): string {
  const key = headers.get('idempotency-key') ?? crypto.randomUUID();
  idempotencyKey(key, 'idempotency-key');
  return key;
}
