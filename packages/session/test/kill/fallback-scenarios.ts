import { AgentSessionError, type ErrorCode, type Provider } from '@banister/session';
import { withFallback } from '@banister/provider';
import { callTools, fail, say, type ScriptedProvider, type VirtualClock } from '@banister/testing';
import { ended, type Scenario } from './scenario.js';

const call = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const signed = { type: 'thinking', delta: 'Hm.', signature: 'sig' } as const;
const usage = { inputTokens: 10, outputTokens: 5 };

/** Returns a provider that fails from a round on, and gives the answers of the script before. */
function failing(scripted: ScriptedProvider, from: number, code: ErrorCode): Provider {
  return {
    id: 'first',
    model: 'first-1',
    server: 'https://first.example',
    capabilities: scripted.capabilities,
    stream(request, signal) {
      const { idempotencyKey: key } = request;
      if (Number(key.slice(key.lastIndexOf('-') + 1)) < from) return scripted.stream(request, signal);
      throw new AgentSessionError(code, 'It is down.');
    },
  };
}

const fallback =
  (from: number, code: ErrorCode, ...more: readonly ErrorCode[]) =>
  (scripted: ScriptedProvider, clock: VirtualClock) =>
    withFallback(
      [
        failing(scripted, from, code),
        ...more.map((one) => ({ ...failing(scripted, 1, one), id: one })),
        scripted,
      ],
      { clock },
    );

/** Lives of a session whose first provider fails. */
export const fallbackScenarios: readonly Scenario[] = [
  {
    name: 'fallback: the first provider is down, and the second one answers',
    turns: { Go: [callTools(signed, call('add', 'A')), say('Done.', { usage })] },
    options: { limits: { maxRetries: 1 } },
    provider: fallback(1, 'overloaded'),
  },
  {
    name: 'fallback: the first provider goes down between two rounds',
    turns: {
      Go: [callTools(signed, call('add', 'A')), callTools(call('ensure', 'B')), say('Done.', { usage })],
      More: [say('Fine.')],
    },
    provider: fallback(2, 'quota'),
  },
  {
    name: 'fallback: two of three providers are down, and a middleware sees each request',
    turns: { Go: [callTools(call('add', 'A')), say('Done.')] },
    options: {
      limits: { maxRetries: 0 },
      middleware: [{ name: 'adds', beforeRequest: (request) => ({ ...request, system: 'Be brief.' }) }],
    },
    provider: fallback(1, 'network', 'auth'),
  },
  {
    name: 'fallback: each provider is down',
    turns: { Go: [callTools(call('add', 'A')), say('Done.')] },
    options: { limits: { maxRetries: 0 } },
    provider: (scripted, clock) =>
      withFallback([failing(scripted, 2, 'network'), failing(scripted, 1, 'auth')], { clock }),
  },
];

const waits = { onModelFailure: 'wait', limits: { maxRetries: 0 } } as const;
const done = [callTools(signed, call('add', 'A')), callTools(call('ensure', 'B')), say('Done.', { usage })];

/** Lives of a session whose turn waits for its model. */
export const waitingScenarios: readonly Scenario[] = [
  {
    name: 'waiting: the model fails twice in one turn, which goes on',
    turns: {
      Go: [done[0]!, [fail('overloaded'), done[1]!], [fail('network'), done[2]!]],
      More: [say('Fine.')],
    },
    resumed: { Go: done, More: [say('Fine.')] },
    options: waits,
    ends: ['completed', 'completed'],
    async run({ session, clock }) {
      await ended(session.send('Go'), clock);
      await ended(session.resume(), clock);
      await ended(session.resume(), clock);
      await ended(session.send('More'), clock);
    },
  },
  {
    name: 'waiting: the model fails, and the turn is taken back',
    turns: { Go: [done[0]!, fail('quota')] },
    resumed: { Go: done },
    options: waits,
    ends: ['failed'],
    async run({ session, clock }) {
      await ended(session.send('Go'), clock);
      await ended(session.abandon(), clock);
    },
  },
];
