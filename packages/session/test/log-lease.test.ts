// A log says how long its leases last.
import { describe, expect, it } from 'vitest';
import { callTools, say, stall } from '@banister/testing';
import type { SessionLog } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { rejection } from './fixture.js';
import { logWorld } from './log-world.js';
import { createSession } from './opened.js';

/** The lease of the logs of this file, in milliseconds. */
const leaseMs = 1_500;

/** A follower that is not woken claims after each third of the lease, so it may notice the end of a lease that much later. */
const ways: readonly (readonly [string, Partial<SessionLog>, number])[] = [
  ['if the log wakes a follower', {}, 1],
  ['if a follower claims again and again', { freed: undefined }, leaseMs / 3 + 1],
];

describe('the lease of a log', () => {
  it.each([0, -1, NaN, Infinity, '5' as never])(
    'served H7 if leaseMs is %s, the session is read-only and its commands reject invalid-configuration',
    async (wrong) => {
      const { log, clock } = logWorld();
      const { session, reported } = createSession(
        [],
        { id: 'chat-1', log: { ...log, leaseMs: wrong } },
        clock,
      );
      const error = await rejection(session.send('Hi'));
      expect(error.code).toBe('invalid-configuration');
      expect(error.message).toContain('leaseMs');
      expect(session.link.value.role).toBe('read-only');
      expect(reported).toEqual([error]);
      expect(clock.pending).toBe(0);
    },
  );

  it.each(ways)(
    'served H7 with a leaseMs of 1,500 another session becomes the writer 1,500 ms after the last renewal, %s',
    async (_title, way, late) => {
      let isGone = false;
      const { clock, open } = logWorld((inner) => ({
        leaseMs,
        ...way,
        renew: (lease) => (isGone ? Promise.reject(new Error('Gone.')) : inner.renew(lease)),
      }));
      const writer = await open([stall('Hello')]);
      const follower = await open();
      const sent = rejection(writer.session.send('1'));
      // The lease is renewed after 500, 1,000 and 1,500 milliseconds.
      await clock.advance(1_510);
      isGone = true;
      await clock.advance(1_480);
      expect(follower.session.link.value.role).toBe('follower');
      await clock.advance(10 + late);
      expect(follower.session.link.value.role).toBe('writer');
      expect(follower.session.state.interrupted).toMatchObject({ at: 'stream' });
      isGone = false;
      await clock.advance(1_000);
      expect(await sent).toMatchObject({ code: 'storage', details: { reason: 'fenced' } });
      await writer.session.dispose();
      await follower.session.dispose();
      expect(clock.pending).toBe(0);
    },
  );

  it('served H7 a writer renews its lease after each third of `leaseMs`, and asks the log before it acts after a `leaseMs` without a renewal', async () => {
    const renewals: number[] = [];
    let isAway = false;
    const { clock, open } = logWorld((inner) => ({
      leaseMs,
      renew: (lease) => {
        renewals.push(clock.now());
        return isAway ? Promise.reject(new Error('The log is away.')) : inner.renew(lease);
      },
    }));
    const board = createBoard();
    const begin = clock.now();
    const answers = [callTools('', addCard('A')), say('Done.')];
    const { session } = await open(answers, { domains: [board.domain()] });
    await session.send('Add A');
    await clock.advance(1_510);
    expect(renewals.map((at) => at - begin)).toEqual([500, 1_000, 1_500]);
    isAway = true;
    // 1,490 and 1,690 milliseconds after the last renewal.
    await clock.advance(1_480);
    await session.undo();
    expect(renewals).not.toContain(clock.now());
    await clock.advance(200);
    await session.redo();
    expect(renewals.at(-1)).toBe(clock.now());
    await session.dispose();
    expect(clock.pending).toBe(0);
  });
});
