import {
  isAgentSessionError,
  strictParse,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/session/provider';
import { assert, assertEqual, eventually, within } from './assert.js';
import { checkEvents } from './check-events.js';
import { providerScenarios, type ProviderScenario, type ProviderScenarioName } from './provider-scenarios.js';
import type { TestRunner } from './test-runner.js';

/** A provider with a server behind it that plays one scenario. */
export interface ProviderFixture {
  readonly provider: Provider;
  /** Requests that the server has seen. With it, the suite proves that the provider does not retry by itself. */
  requests?(): number;
  /** Connections that are open at the server. With it, the suite proves that an abort closes the socket. */
  openConnections?(): number;
  /** The API key in use. With it, the suite proves that no error shows it. */
  readonly secret?: string;
  dispose?(): void | Promise<void>;
}

/** Sets up the provider and a server that plays the scenario, afresh for each test. */
export type MakeProvider = (scenario: ProviderScenario) => ProviderFixture | Promise<ProviderFixture>;

export interface ProviderConformanceOptions {
  /** Scenarios that this provider does not master, each with the reason. They are reported as skipped. */
  readonly skip?: { readonly [N in ProviderScenarioName]?: string } | undefined;
  /** How long the provider may take for an answer of the local server, in milliseconds: what hangs fails then. Default 10,000. */
  readonly patienceMs?: number | undefined;
}

/** How soon a stream must be over, and its socket closed, after an abort. Milliseconds. */
const PROMPTLY = 1_000;

/**
 * Defines the tests that every provider must pass. A scenario that a provider cannot master must be declared in `skip`.
 *
 * @param name of the provider, for the report
 * @param make sets up the provider and a server that plays a scenario
 * @param runner of tests: `{ describe, it }`
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
      // Requests of scenarios are frozen: what changes one throws, or fails silently and is seen here.
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

/** The whole answer arrives as it was sent, well-formed to its end. */
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

/** The stream is over at once, its connection closed, and nothing more comes of it. */
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
  // A server that sends nothing, or does not count its requests, gives no better sign that the request is on its way.
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

/** The part that came is kept and is not taken for a whole answer: there is no finish, or an error. */
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

/** The error is an `AgentSessionError` with the right code, and holds no secret. */
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
  // The session retries, visibly and cancellably; a second layer below it would multiply the attempts.
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
    // A model may run them inside its session in place of asking for them at the end.
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

/** Providers mix up `stop` and `tool-calls`, and call a refusal a filter; the session treats each pair alike. */
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

/** Reads a stream to its end, and answers the calls that the model makes inside it. Never rejects. */
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
