import {
  isAgentSessionError,
  strictParse,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';
import { assert, assertEqual, eventually, within } from './assert.js';
import { checkEvents } from './check-events.js';
import { providerScenarios, type ProviderScenario, type ProviderScenarioName } from './provider-scenarios.js';
import type { TestRunner } from './test-runner.js';

/** A provider, and the server behind it, which plays a scenario. */
export interface ProviderFixture {
  readonly provider: Provider;
  /** The number of requests that the server has received. With it, the suite proves that the provider does not retry by itself. */
  requests?(): number;
  /** The number of open connections at the server. With it, the suite proves that an abort closes the socket. */
  openConnections?(): number;
  /** The API key in use. With it, the suite proves that no error contains the key. */
  readonly secret?: string;
  dispose?(): void | Promise<void>;
}

/** Creates the provider and a server that plays the scenario; called for each test. */
export type MakeProvider = (scenario: ProviderScenario) => ProviderFixture | Promise<ProviderFixture>;

export interface ProviderConformanceOptions {
  /** Scenarios that this provider does not support, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [N in ProviderScenarioName]?: string } | undefined;
  /** How long an answer of the local server may take, in milliseconds, before the test fails. Default 10,000. */
  readonly patienceMs?: number | undefined;
}

/** How soon after an abort a stream must end and its socket close, in milliseconds. */
const PROMPTLY = 1_000;

/**
 * Defines the tests that every provider must pass. Declare a scenario that a provider does not support in `skip`.
 *
 * @param name the name of the provider, for the report
 * @param make creates the provider and a server that plays a scenario
 * @param runner the test runner: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * providerConformance('acme', async (scenario) => {
 *   const server = await startAcmeServer(scenario.answer);
 *   return { provider: acme({ baseURL: server.url }), dispose: () => server.close() };
 * }, { describe, it }, { skip: { image: 'The API has no images.' } });
 */
export function providerConformance(
  name: string,
  make: MakeProvider,
  { describe, it }: TestRunner,
  { skip = {}, patienceMs = 10_000 }: ProviderConformanceOptions = {},
): void {
  describe(`${name} as a provider`, () => {
    for (const scenario of providerScenarios) {
      const reason = skip[scenario.name];
      for (const { fact, prove } of testsOf(scenario)) {
        if (reason !== undefined) {
          it.skip(`${scenario.name}: ${fact} (gap: ${reason})`, () => {});
          continue;
        }
        it(`${scenario.name}: ${fact}`, async () => {
          const fixture = await make(scenario);
          try {
            await prove(fixture, scenario, patienceMs);
          } finally {
            await fixture.dispose?.();
          }
        });
      }
    }
  });
}

interface ConformanceTest {
  readonly fact: string;
  prove(fixture: ProviderFixture, scenario: ProviderScenario, patienceMs: number): Promise<void>;
}

function testsOf({ name, description, answer }: ProviderScenario): readonly ConformanceTest[] {
  const { ending } = answer;
  switch (ending.kind) {
    case 'finish':
      return [{ fact: description, prove: answersWhole }, ...(name === 'text' ? textTests : [])];
    case 'stall':
      return [{ fact: description, prove: endsWhenAborted }, ...(name === 'stall' ? [leaveTest] : [])];
    case 'cut':
      return [{ fact: description, prove: isInterrupted }];
    default:
      return [{ fact: description, prove: failsAsItShould }];
  }
}

const textTests: readonly ConformanceTest[] = [
  {
    fact: 'leaves the request as it is',
    async prove({ provider }, { request }) {
      // The requests of scenarios are frozen, so a change throws. They are compared as well.
      const before = JSON.stringify(request);
      const { error } = await read(provider, request);
      assert(error === undefined, `the stream failed: ${String(error)}`);
      assertEqual(JSON.stringify(request), before, 'the request afterwards');
    },
  },
  {
    fact: 'keeps two requests at once apart',
    async prove({ provider }, { request, answer }) {
      const [first, second] = await Promise.all([read(provider, request), read(provider, request)]);
      assertEqual(textOf(first.events), answer.text?.join(''), 'the text of the first');
      assertEqual(textOf(second.events), answer.text?.join(''), 'the text of the second');
    },
  },
  {
    fact: 'sends nothing when it was aborted beforehand',
    async prove({ provider, requests }, { request }) {
      const { events } = await within(
        PROMPTLY,
        read(provider, request, AbortSignal.abort()),
        'the end of the stream',
      );
      assertEqual(events, [], 'events');
      if (requests) assertEqual(requests(), 0, 'requests at the server');
    },
  },
];

const leaveTest: ConformanceTest = {
  fact: 'closes the connection when its reader leaves',
  async prove(fixture, { request }, patienceMs) {
    const { provider } = fixture;
    const leave = async () => {
      for await (const event of provider.stream(request, new AbortController().signal)) {
        if (event.type === 'text') break;
      }
    };
    await within(patienceMs, leave(), 'leaving');
    await untilClosed(fixture);
  },
};

/** Proves that the whole answer arrives as it was sent, with valid events to its end. */
async function answersWhole(
  { provider }: ProviderFixture,
  { request, answer }: ProviderScenario,
  patienceMs: number,
): Promise<void> {
  const { events, error } = await within(patienceMs, read(provider, request), 'the answer');
  assert(error === undefined, `the stream failed: ${String(error)}`);
  assertEqual(checkEvents(events, true), [], 'what the port forbids');
  assertEqual(textOf(events), answer.text?.join('') ?? '', 'text');
  assertEqual(thinkingOf(events), answer.thinking?.join('') ?? '', 'thinking');
  assertThinkingFirst(events);
  assertCalls(events, answer);
  if (answer.usage) {
    const reported = events.filter((event) => event.type === 'usage').at(-1)?.usage;
    const { inputTokens, outputTokens } = reported ?? {};
    assertEqual({ inputTokens, outputTokens }, answer.usage, 'the last usage report');
  }
  assertReason(events, answer);
}

/** Proves that after an abort the stream ends at once, its connection is closed, and no event follows. */
async function endsWhenAborted(
  fixture: ProviderFixture,
  { request, answer }: ProviderScenario,
  patienceMs: number,
): Promise<void> {
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  let over = false;
  const reading = read(fixture.provider, request, controller.signal, events).finally(() => (over = true));
  const text = answer.text?.join('') ?? '';
  await eventually(patienceMs, () => over || textOf(events) === text, `the arrival of "${text}"`);
  await eventually(patienceMs, () => over || wasAsked(fixture), 'the request at the server');
  // If a server sends nothing, or does not count its requests, there is no better sign that the request has been sent.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert(!over, 'the stream ended by itself');
  const before = events.length;
  controller.abort();
  const { error } = await within(PROMPTLY, reading, 'the end of the stream after the abort');
  assert(
    error === undefined || isAgentSessionError(error),
    `it must throw our error or none: ${String(error)}`,
  );
  await untilClosed(fixture);
  assertEqual(events.slice(before), [], 'events after the abort');
}

/** Proves that the received part of the answer is kept but not taken for a whole answer: there is no `finish`, or there is an error. */
async function isInterrupted(
  { provider }: ProviderFixture,
  { request, answer, codes = [] }: ProviderScenario,
  patienceMs: number,
): Promise<void> {
  const { events, error } = await within(patienceMs, read(provider, request), 'the end of the stream');
  assertEqual(checkEvents(events, false), [], 'what the port forbids');
  assert(!events.some((event) => event.type === 'finish'), 'an answer that was cut has no finish');
  assertEqual(textOf(events), answer.text?.join('') ?? '', 'the text before the cut');
  if (error === undefined) return;
  assert(isAgentSessionError(error), `it must throw an AgentSessionError: ${String(error)}`);
  assert(codes.includes(error.code), `its code must be one of ${codes.join(', ')}: ${error.code}`);
}

/** Proves that the error is an `AgentSessionError` with the right code, and contains no secret. */
async function failsAsItShould(
  fixture: ProviderFixture,
  scenario: ProviderScenario,
  patienceMs: number,
): Promise<void> {
  const { request, answer, codes = [] } = scenario;
  const { events, error } = await within(patienceMs, read(fixture.provider, request), 'the error');
  assertEqual(checkEvents(events, false), [], 'what the port forbids');
  assert(!events.some((event) => event.type === 'finish'), 'an answer that failed has no finish');
  assertEqual(textOf(events), answer.text?.join('') ?? '', 'the text before the error');
  assert(error !== undefined, 'it must throw');
  assert(isAgentSessionError(error), `it must throw an AgentSessionError: ${String(error)}`);
  assert(codes.includes(error.code), `its code must be one of ${codes.join(', ')}: ${error.code}`);
  assert(error.message.trim() !== '', 'its message must say something');
  const shown = `${error.message} ${JSON.stringify(error.details)}`;
  if (fixture.secret) assert(!shown.includes(fixture.secret), 'the error must not show the API key');
  if (answer.ending.kind === 'http-error' && answer.ending.retryAfterSeconds !== undefined) {
    assertEqual(error.retry, { afterMs: answer.ending.retryAfterSeconds * 1000 }, 'the retry hint');
  }
  // The session retries, and the user can see and cancel that. Retries in the provider would multiply the attempts.
  if (fixture.requests) assertEqual(fixture.requests(), 1, 'requests at the server');
}

function assertThinkingFirst(events: readonly ProviderEvent[]): void {
  const firstText = events.findIndex((event) => event.type === 'text');
  const lastThought = events.findLastIndex((event) => event.type === 'thinking');
  assert(firstText < 0 || lastThought < firstText, 'thinking comes before the text that it led to');
}

function assertCalls(events: readonly ProviderEvent[], { calls = [] }: ProviderScenario['answer']): void {
  const found: { tool: string; argumentsText: string }[] = [];
  for (const event of events) {
    // A model may make calls inside its session instead of at the end of the answer.
    if (event.type === 'inner-call') found.push({ tool: event.tool, argumentsText: event.argumentsText });
    if (event.type !== 'tool-call') continue;
    const call = (found[event.index] ??= { tool: event.tool ?? '', argumentsText: '' });
    call.argumentsText += event.delta;
  }
  assertEqual(
    found.map(({ tool, argumentsText }) => [tool, parsed(argumentsText)]),
    calls.map(({ tool, argumentsText }) => [tool, parsed(argumentsText)]),
    'tool calls',
  );
}

/** Providers confuse `stop` with `tool-calls`, and a refusal with a filter; the session treats each pair alike. */
function assertReason(events: readonly ProviderEvent[], { ending }: ProviderScenario['answer']): void {
  if (ending.kind !== 'finish') return;
  const reason = events.find((event) => event.type === 'finish')?.reason;
  const alike = {
    stop: ['stop'],
    'tool-calls': ['tool-calls', 'stop'],
    length: ['length'],
    refusal: ['refusal', 'content-filter'],
    'content-filter': ['refusal', 'content-filter'],
    unknown: ['unknown', 'stop'],
  }[ending.reason];
  assert(
    reason !== undefined && alike.includes(reason),
    `the reason must be ${alike.join(' or ')}: ${String(reason)}`,
  );
}

interface Reading {
  readonly events: readonly ProviderEvent[];
  readonly error?: unknown;
}

/** Reads a stream to its end, and answers the calls that the model makes inside the stream. Never rejects. */
async function read(
  provider: Provider,
  request: ProviderRequest,
  signal: AbortSignal = new AbortController().signal,
  events: ProviderEvent[] = [],
): Promise<Reading> {
  try {
    for await (const event of provider.stream(request, signal)) {
      events.push(event);
      if (event.type === 'inner-call') event.answer({ outcome: 'success', content: [] });
    }
    return { events };
  } catch (error) {
    return { events, error };
  }
}

function wasAsked({ requests }: ProviderFixture): boolean {
  return requests === undefined || requests() > 0;
}

async function untilClosed({ openConnections }: ProviderFixture): Promise<void> {
  if (openConnections) await eventually(PROMPTLY, () => openConnections() === 0, 'the end of the connection');
}

function textOf(events: readonly ProviderEvent[]): string {
  return events.reduce((text, event) => (event.type === 'text' ? text + event.delta : text), '');
}

function thinkingOf(events: readonly ProviderEvent[]): string {
  return events.reduce((text, event) => (event.type === 'thinking' ? text + event.delta : text), '');
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  const result = strictParse(text);
  return result.ok ? result.value : text;
}
