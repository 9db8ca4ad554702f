// A call that failed unread is named in development.
import { fail, say, scriptedProvider } from '@banister/testing';
import { createAgentSession, type LocalAgentSession } from '@banister/session';
import { effect } from '@preact/signals-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const warned = vi.fn();

beforeEach(() => {
  vi.stubEnv('NODE_ENV', 'development');
  vi.spyOn(console, 'warn').mockImplementation(warned);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  warned.mockReset();
});

/** Lets a turn fail, and returns the lines of the console. */
async function lines(use: (session: LocalAgentSession) => unknown): Promise<readonly string[]> {
  const session = createAgentSession({ provider: scriptedProvider([fail('auth'), fail('auth')]) });
  use(session);
  await vi.waitFor(() => expect(session.lastOutcome.value?.status).toBe('failed'));
  await new Promise((resolve) => setTimeout(resolve, 5));
  await session.dispose();
  return warned.mock.calls.map(([line]) => line as string);
}

describe('a call that fails', () => {
  it('audit-AD-1 in development, a failed call logs one line if no code handles the rejection', async () => {
    expect(await lines((session) => void session.send('Go'))).toEqual([
      expect.stringMatching(/^@banister\/session: The call failed.*\(auth\).*await send\(\)/),
    ]);
  });

  it('audit-AD-1 logs one line for a retry and for a refused call', async () => {
    const found = await lines((session) => {
      void session.send('Go');
      void session.send('Too early');
    });
    expect(found.map((line) => /\((.+?)\)/.exec(line)?.[1])).toEqual(['already-running', 'auth']);
    warned.mockReset();
    const ofRetry = await lines((session) => session.send('Go').catch(() => void session.retry()));
    expect(ofRetry).toHaveLength(1);
  });

  it.each<[string, (session: LocalAgentSession) => unknown]>([
    ['its promise has a handler', (session) => session.send('Go').catch(() => {})],
    ['its promise is awaited', async (session) => await session.send('Go').then(undefined, () => {})],
    [
      'an async function awaits it',
      async (session) => {
        try {
          await session.send('Go');
        } catch {
          // Read.
        }
      },
    ],
    ['all awaits it', (session) => Promise.allSettled([session.send('Go')])],
    ...(['lastError', 'lastOutcome', 'turns'] as const).map(
      (name): [string, (session: LocalAgentSession) => unknown] => [
        `${name} is followed`,
        (session) => {
          effect(() => void session[name].value);
          void session.send('Go');
        },
      ],
    ),
    [
      'operations$ has a subscriber',
      (session) => {
        session.operations$.subscribe(() => {});
        void session.send('Go');
      },
    ],
  ])('audit-AD-1 logs nothing if %s', async (_, use) => {
    expect(await lines(use)).toEqual([]);
  });

  it.each(['production', 'test'])('audit-AD-1 logs nothing with NODE_ENV=%s', async (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    expect(await lines((session) => void session.send('Go'))).toEqual([]);
  });

  it('audit-AD-1 logs nothing after a cancel or a disposal', async () => {
    const session = createAgentSession({ provider: scriptedProvider([say('Never read.')]) });
    void session.send('Go');
    await session.cancel();
    void session.send('Go');
    await session.dispose();
    void session.send('Go');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(warned).not.toHaveBeenCalled();
  });
});
