import { AgentSessionError, type Provider, type ProviderEvent } from '@banister/provider';
import { describe, expect, it, test } from 'vitest';
import { recordingRunner } from '../test/recording-runner.js';
import { providerConformance, type MakeProvider } from './provider-conformance.js';
import type { ProviderScenario } from './provider-scenarios.js';
import { cut, fail, failAfter, stall, unsafe, type ScriptedAnswer, type Step } from './scripted-answer.js';
import { scriptedProvider } from './scripted-provider.js';

/** Returns a scenario's answer as a scripted answer. The test of an adapter does this with a mock server. */
function scripted({ answer, codes = [] }: ProviderScenario): ScriptedAnswer {
  const { thinking = [], text = [], calls = [], usage, ending } = answer;
  const steps: readonly Step[] = [
    ...thinking.map((delta) => ({ type: 'thinking', delta }) as const),
    ...text,
    ...calls,
  ];
  switch (ending.kind) {
    case 'finish': {
      const finish = { type: 'finish', reason: ending.reason } as const;
      // Usage comes after the finish, where `finishWith` cannot put it.
      return unsafe(...steps, finish, ...(usage ? [{ type: 'usage', usage } as const] : []));
    }
    case 'cut':
      return cut(...steps);
    case 'stall':
      return stall(...steps);
    case 'http-error': {
      const { message, retryAfterSeconds } = ending;
      const retry = retryAfterSeconds === undefined ? undefined : { afterMs: retryAfterSeconds * 1000 };
      return fail(new AgentSessionError(codes[0]!, message, { retry }));
    }
    case 'error-event':
      return failAfter(steps, 'server');
    case 'not-a-stream':
      return fail('server');
  }
}

const make: MakeProvider = (scenario) => {
  const provider = scriptedProvider([], { otherwise: scripted(scenario) });
  return {
    provider,
    requests: () => provider.requests.length,
    openConnections: () => provider.streams.filter(({ closed }) => !closed).length,
    secret: 'sk-secret',
  };
};

providerConformance('the scripted provider', make, { describe, it });

/**
 * Runs the suite against another provider. Resolves with the tests that failed and the tests that were
 * skipped.
 */
async function outcomeOf(spoil: (provider: Provider, scenario: ProviderScenario) => Provider, skip = {}) {
  const failed: string[] = [];
  const runner = recordingRunner();
  const spoiled: MakeProvider = async (scenario) => {
    const fixture = await make(scenario);
    return { ...fixture, provider: spoil(fixture.provider, scenario) };
  };
  providerConformance('spoiled', spoiled, runner, { skip });
  for (const [name, body] of runner.bodies) {
    try {
      await body();
    } catch {
      failed.push(name.slice(0, name.indexOf(':')));
    }
  }
  return { failed, skipped: runner.skipped };
}

/** The provider with its events changed on the way. */
const mapping =
  (change: (events: AsyncIterable<ProviderEvent>) => AsyncIterable<ProviderEvent>) =>
  (provider: Provider): Provider => ({
    ...provider,
    stream: (request, signal) => change(provider.stream(request, signal)),
  });

describe('the provider conformance suite', () => {
  const finished = [
    'usage',
    'thinking',
    'two-tool-calls',
    'call-without-arguments',
    'follow-up',
    'length',
    'refusal',
  ];

  test('accepts a correct provider', async () => {
    expect((await outcomeOf((provider) => provider)).failed).toEqual([]);
  });

  test('reports declared gaps as skipped, with the reason', async () => {
    const { failed, skipped } = await outcomeOf((provider) => provider, {
      text: 'none',
      image: 'The API has none.',
    });
    expect(failed).toEqual([]);
    expect(skipped.filter((name) => name.startsWith('image'))).toEqual([
      'image: sends an image (gap: The API has none.)',
    ]);
  });

  test('finds a provider that never finishes', async () => {
    const { failed } = await outcomeOf(
      mapping(async function* (events) {
        for await (const event of events) if (event.type !== 'finish') yield event;
      }),
    );
    expect(failed).toEqual(expect.arrayContaining(finished));
  });

  test('finds a provider that emits `finish` for a cut answer', async () => {
    const { failed } = await outcomeOf(
      mapping(async function* (events) {
        let finished = false;
        for await (const event of events) {
          finished ||= event.type === 'finish';
          yield event;
        }
        if (!finished) yield { type: 'finish', reason: 'stop' };
      }),
    );
    expect(failed).toEqual(expect.arrayContaining(['cut', 'cut-in-call']));
  });

  test('finds a provider that throws its own kind of error', async () => {
    const { failed } = await outcomeOf(
      mapping(async function* (events) {
        try {
          yield* events;
        } catch (error) {
          throw new TypeError(String(error), { cause: error });
        }
      }),
    );
    expect(failed).toEqual(
      expect.arrayContaining(['auth', 'rate-limit', 'error-event', 'not-a-stream', 'stall']),
    );
  });

  test('finds a provider that shows its key', async () => {
    const { failed } = await outcomeOf(
      mapping(async function* (events) {
        try {
          yield* events;
        } catch {
          throw new AgentSessionError('auth', 'Wrong key sk-secret.');
        }
      }),
    );
    expect(failed).toContain('auth');
  });

  test('finds a provider that retries by itself', async () => {
    const { failed } = await outcomeOf((provider) => ({
      ...provider,
      async *stream(request, signal) {
        try {
          yield* provider.stream(request, signal);
        } catch {
          yield* provider.stream(request, signal);
        }
      },
    }));
    expect(failed).toEqual(expect.arrayContaining(['auth', 'server-error']));
  });

  test('finds a provider that changes its request', async () => {
    const { failed } = await outcomeOf((provider) => ({
      ...provider,
      stream(request, signal) {
        (request.messages as unknown[]).push(request.messages[0]);
        return provider.stream({ ...request, messages: request.messages.slice(0, -1) }, signal);
      },
    }));
    expect(failed).toContain('text');
  });

  test('finds calls that lose their names, their arguments or their order', async () => {
    const { failed } = await outcomeOf(
      mapping(async function* (events) {
        for await (const event of events) {
          yield event.type === 'tool-call' && event.tool !== undefined
            ? { ...event, tool: 'board_add_card' }
            : event;
        }
      }),
    );
    expect(failed).toEqual(['two-tool-calls', 'call-without-arguments']);
  });

  test('finds a provider that ignores its signal', async () => {
    const silent = new AbortController().signal;
    const { failed } = await outcomeOf((provider, { answer }) =>
      answer.ending.kind === 'stall'
        ? { ...provider, stream: (request) => provider.stream(request, silent) }
        : provider,
    );
    expect(failed).toEqual(['stall', 'silence']);
  });
});
