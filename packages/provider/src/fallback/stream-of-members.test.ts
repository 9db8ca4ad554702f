import { expect, test } from 'vitest';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { ProviderEvent } from '../port/provider-event.js';
import type { Provider, ProviderFallback } from '../port/provider.js';
import { streamOfMembers } from './stream-of-members.js';

const used = (inputTokens: number): ProviderEvent => ({ type: 'usage', usage: { inputTokens } });
const usage = used(3);
const half: ProviderEvent = { type: 'text', delta: 'Half' };
const whole: ProviderEvent = { type: 'text', delta: 'Whole' };

/** Streams from members that are scripts: an event in a script is passed on, and any other value is thrown. */
async function outcome(
  scripts: readonly (readonly (ProviderEvent | Error | string)[])[],
  signal = new AbortController().signal,
) {
  const members = scripts.map((_, place) => ({ id: String(place), capabilities: { images: false } }));
  const seen: unknown[] = [];
  const asked: string[] = [];
  const fallback: Pick<ProviderFallback, 'members' | 'first' | 'after'> = {
    members: members as unknown as readonly Provider[],
    first: () => ({ place: 0, because: null }),
    after: (place, { code }) => {
      seen.push(code);
      return place + 1 < scripts.length ? place + 1 : null;
    },
  };
  async function* ask({ id }: Provider): AsyncGenerator<ProviderEvent, void> {
    asked.push(id);
    for (const piece of scripts[Number(id)]!) {
      if (typeof piece === 'string' || piece instanceof Error) throw piece;
      yield piece;
    }
  }
  try {
    for await (const event of streamOfMembers(fallback, ask, signal)) seen.push(event);
  } catch (error) {
    seen.push(error);
  }
  return { seen, asked };
}

const auth = () => new AgentSessionError('auth', 'No.');

test('the next member is asked if a member failed or ended with only usage, and its usage includes the earlier usage', async () => {
  expect(
    await outcome([
      [usage, auth()],
      [used(1), usage],
      [used(2), whole],
    ]),
  ).toEqual({
    seen: [usage, 'auth', used(4), used(6), 'interrupted', used(8), whole],
    asked: ['0', '1', '2'],
  });
});

test('an answer that has begun is not requested from another member', async () => {
  const error = auth();
  expect(await outcome([[half, error], [whole]])).toEqual({ seen: [half, error], asked: ['0'] });
});

test('no member is asked after the signal has fired', async () => {
  const error = auth();
  expect(await outcome([[error], [whole]], AbortSignal.abort())).toEqual({ seen: [error], asked: ['0'] });
});

test('the error of the last member is thrown, and an unknown error gets a code', async () => {
  const { seen } = await outcome([[auth()], ['broken']]);
  expect(seen.slice(0, 2)).toEqual(['auth', 'provider-contract']);
  expect(seen[2]).toMatchObject({
    code: 'provider-contract',
    message: 'The model provider failed: broken',
  });
});
