// Only a remote session gives commands.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { compaction, createAgentSession, type AgentSessionError } from '@banister/session';
import type { RemoteSession } from '@banister/remote';
import { say, scriptedProvider, settle, stall, type AnswerSource } from '@banister/testing';
import { hostSession, preloadBranches, remote } from './remote.js';

const long = 'word '.repeat(400);
const answers = (count: number): AnswerSource[] => Array.from({ length: count }, () => say(long));

/** Loads the code that compacts, because a virtual clock cannot wait for it. */
async function preloadCompaction(): Promise<void> {
  const session = createAgentSession({ provider: scriptedProvider([]) });
  await session.compact();
  await session.dispose();
}
beforeAll(async () => {
  await preloadBranches();
  await preloadCompaction();
});

/** A session in which turns ran, by the commands of a remote session. */
async function talked(count: number, more: readonly AnswerSource[], options = {}) {
  const host = hostSession([...answers(count), ...more], options);
  const far = remote(host.transport, host.clock);
  await settle();
  for (let index = 0; index < count; index++) await far.session.send(long);
  const end = async () => {
    await far.session.dispose();
    await host.session.dispose();
    expect(host.clock.pending).toBe(0);
    expect(far.reported).toEqual([]);
  };
  return { ...host, far: far.session, end };
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    ({ code }: AgentSessionError) => code,
  );

const isCompacting = ({ phase }: RemoteSession) =>
  vi.waitFor(() => expect(phase.value).toBe('compacting'), { timeout: 30_000 });

describe('a remote session alone', () => {
  it('compacts, and reverts the compaction', async () => {
    const { far, session, provider, end } = await talked(3, [say('S'), say('x'), say('y')]);
    const done = far.compact();
    expect([far.isRunning.value, far.phase.value]).toEqual([true, 'preparing']);
    await done;
    await settle();
    expect(far.compactions.value).toMatchObject([{ summary: 'S' }]);
    expect(far.state).toEqual(session.state);
    await far.send('On');
    expect(provider.requests.at(-1)?.messages[0]?.kind).toBe('summary');
    await far.uncompact(far.compactions.value[0]!.id);
    await settle();
    expect(far.compactions.value).toEqual([]);
    await far.send('And?');
    expect(provider.requests.at(-1)?.messages).toHaveLength(9);
    expect(await codeOf(far.uncompact('x'))).toBe('invalid-input');
    expect(far.state).toEqual(session.state);
    await end();
  });

  it('cancels a summary; the steps before it stay', async () => {
    const { far, session, end } = await talked(3, [stall('The')]);
    const done = codeOf(far.compact());
    await isCompacting(far);
    expect(await codeOf(far.send('x'))).toBe('already-running');
    await far.cancel();
    expect(await done).toBe('cancelled');
    await settle();
    expect(far.compactions.value).toMatchObject([{ failure: 'it was cancelled' }]);
    expect([far.isRunning.value, far.phase.value]).toEqual([false, 'idle']);
    expect(far.state).toEqual(session.state);
    await end();
  });

  it('shows the phase of a turn that compacts, and the mark inside the turn', async () => {
    const provider = scriptedProvider([...answers(3), stall('The'), say('x')], { contextWindow: 4_200 });
    const { far, session, clock, end } = await talked(3, [], { provider, compaction: compaction() });
    const sent = far.send(long);
    await isCompacting(far);
    await clock.advance(30_000);
    expect((await sent).text).toBe('x');
    expect(far.turns.value.at(-1)?.compactions).toHaveLength(1);
    expect(far.state).toEqual(session.state);
    await end();
  });
});
