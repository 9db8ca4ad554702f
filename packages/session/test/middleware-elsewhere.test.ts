// A hook before the requests that are not the first one of a turn of the chat.
import { beforeAll, describe, expect, it } from 'vitest';
import { fail, say, scriptedProvider, settle, type AnswerSource } from '@banister/testing';
import { compaction } from '@banister/session';
import { withFallback, type ProviderRequest } from '@banister/provider';
import { compactionLoaded } from './compaction-loaded.js';
import { fixture, type Fixture, type FixtureOptions } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(() => Promise.all([hooksLoaded(), generateLoaded(), compactionLoaded()]));

/** The ways in which `beforeRequest` fails; `hangs` runs out of its time. */
const failures: Readonly<Record<string, (request: ProviderRequest) => never>> = {
  throws: () => {
    throw new Error('broken');
  },
  hangs: () => new Promise(() => {}) as never,
  'answers garbage': () => 42 as never,
  'answers a null': () => null as never,
  'changes what it got': ({ messages }) => {
    (messages as unknown[]).push(1);
    return undefined as never;
  },
};

const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
const long = 'word '.repeat(400);
const fits = say('{"title":"A"}');

/** Waits for the end of a command whose hooks may hang, and returns the code of its error. */
async function codeOf({ clock }: Fixture, command: Promise<unknown>): Promise<string | null> {
  const code = command.then(
    () => null,
    (error: unknown) => (error as { readonly code: string }).code,
  );
  await settle();
  for (let turns = 0; turns < 8; turns++) await clock.advance(5_000);
  return code;
}

/** A hook that passes so many requests, and fails at the next one. */
function afterSome(passed: number, fails: (request: ProviderRequest) => never): FixtureOptions['middleware'] {
  let requests = 0;
  return [{ name: 'bad', beforeRequest: (request) => (requests++ < passed ? undefined : fails(request)) }];
}

/** Four long turns without a hook. */
async function talked(more: readonly AnswerSource[], options: FixtureOptions = {}): Promise<Fixture> {
  const f = fixture([...Array.from({ length: 4 }, () => say(long)), ...more], options);
  for (let turns = 0; turns < 4; turns++) await f.session.send(long);
  return f;
}

describe.each(Object.entries(failures))('a beforeRequest that %s', (_way, fails) => {
  it('before `generate`: nothing is sent, and the conversation does not change', async () => {
    await using f = fixture([], { middleware: afterSome(0, fails) });
    expect(await codeOf(f, f.session.generate('Go', schema))).toBe('egress-refused');
    expect(f.provider.requests).toHaveLength(0);
    expect(f.session.state).toMatchObject({ turns: [], conversation: { messages: [] } });
  });

  it('before the repair of an output: the repair is not sent, and the earlier answer is not accepted', async () => {
    await using f = fixture([say('{"title":7}')], { middleware: afterSome(1, fails) });
    expect(await codeOf(f, f.session.generate('Go', schema))).toBe('egress-refused');
    expect(f.provider.requests).toHaveLength(1);
    expect(f.session.state).toMatchObject({ turns: [], partialOutput: null, conversation: { messages: [] } });
  });

  it('before a summary: it is not sent, and the compaction steps without a model stay', async () => {
    await using f = await talked([]);
    f.session.configure({ middleware: afterSome(0, fails)! });
    expect(await codeOf(f, f.session.compact())).toBeNull();
    expect(f.provider.requests).toHaveLength(4);
    const [mark, ...others] = f.session.compactions.value;
    expect(mark).toMatchObject({ failure: expect.any(String), stripped: expect.any(Object) });
    expect([mark!.summary, others]).toEqual([undefined, []]);
  });

  it('before the request of the second provider of a fallback: that provider gets nothing', async () => {
    const second = scriptedProvider([fits], { model: 'second' });
    await using f = fixture([fail('auth')], { middleware: afterSome(1, fails) });
    f.session.configure({ provider: withFallback([f.provider, second], { clock: f.clock }) });
    expect(await codeOf(f, f.session.send('Go'))).toBe('egress-refused');
    expect([f.provider.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  it('before the shorter request after an error context-length: it is not sent', async () => {
    await using f = await talked([fail('context-length')], { compaction: compaction({ summary: false }) });
    f.session.configure({ middleware: afterSome(1, fails)! });
    expect(await codeOf(f, f.session.send('Go'))).toBe('egress-refused');
    expect(f.session.compactions.value).toHaveLength(1);
    expect(f.provider.requests).toHaveLength(5);
  });
});
