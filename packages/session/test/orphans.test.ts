// A log knows the sessions whose work is open, and whose writer is gone.
import { describe, expect, it } from 'vitest';
import { callTools, say, settle, stall } from '@banister/testing';
import { confirmTools } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { id, logWorld, type LogWorld } from './log-world.js';
import { codeOf } from './opened.js';

/** Reads the orphans of a log; `seen` are those until now. */
function orphansOf({ log, clock }: LogWorld) {
  const end = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const orphan of log.orphans!(end.signal)) seen.push(orphan);
  })();
  return {
    seen,
    async stop() {
      end.abort();
      await reading;
      expect(clock.pending).toBe(0);
    },
  };
}

describe('a session whose writer is gone', () => {
  it('served F36 a session whose writer dies during a turn is an orphan when the lease has expired, not while the writer lives', async () => {
    let isGone = false;
    const world = logWorld((inner) => ({
      renew: (lease) => (isGone ? Promise.reject(new Error('Gone.')) : inner.renew(lease)),
      append: (...args) => (isGone ? Promise.reject(new Error('Gone.')) : inner.append(...args)),
    }));
    const orphans = orphansOf(world);
    const { session } = await world.open([stall('Hello')], { limits: { timeoutMs: Infinity } });
    void codeOf(session.send('1'));
    await world.clock.advance(30_000);
    expect(orphans.seen).toEqual([]);
    isGone = true;
    await world.clock.advance(3_000);
    expect(orphans.seen).toEqual([]);
    await world.clock.advance(4_000);
    expect(orphans.seen).toEqual([id]);
    await session.dispose();
    await orphans.stop();
  });

  it('served F36 a session that is left during a turn is an orphan at once, until the next owner has ended the turn', async () => {
    const world = logWorld();
    const orphans = orphansOf(world);
    const first = await world.open([stall('Hello')]);
    void codeOf(first.session.send('1'));
    await settle();
    await first.session.dispose({ turn: 'leave' });
    await world.clock.advance(1_500);
    expect(orphans.seen).toEqual([id]);
    const second = await world.open([say('Hello.')], { onInterrupted: 'resume' });
    await world.clock.advance(1_500);
    expect(second.session.turns.value).toHaveLength(1);
    await second.session.dispose();
    await world.clock.advance(5_000);
    expect(orphans.seen).toEqual([id]);
    await orphans.stop();
  });

  it('served F36 after the end of a turn or an undo, and with a paused queue, a session is not an orphan', async () => {
    const world = logWorld();
    const orphans = orphansOf(world);
    const board = dataBoard();
    const answers = [callTools('', addCard('A')), say('Done.'), stall('Wait')];
    const { session } = await world.open(answers, { domains: [board.domain()] });
    await session.send('Add A');
    await session.undo();
    void codeOf(session.send('2'));
    await settle();
    void codeOf(session.enqueue('3'));
    await session.cancel();
    expect(session.queuePaused.value).toBe(true);
    await session.dispose();
    await world.clock.advance(5_000);
    expect(orphans.seen).toEqual([]);
    await orphans.stop();
  });

  it('served F36 a queue that is not paused is open work, until the next owner has paused it', async () => {
    const world = logWorld();
    const orphans = orphansOf(world);
    const first = await world.open([say('Done.')]);
    const turn = first.session.send('1');
    void codeOf(first.session.enqueue('2'));
    await turn;
    expect(first.session.queue.value).toHaveLength(1);
    await first.session.dispose();
    await world.clock.advance(1_500);
    expect(orphans.seen).toEqual([id]);
    const second = await world.open();
    expect(second.session.queuePaused.value).toBe(true);
    await second.session.dispose();
    await world.clock.advance(5_000);
    expect(orphans.seen).toEqual([id]);
    await orphans.stop();
  });

  it('served F36 a turn that waits for its user is open work', async () => {
    const world = logWorld();
    const orphans = orphansOf(world);
    const options = { domains: [createBoard().domain()], guards: [confirmTools('board.add')] };
    const { session } = await world.open([callTools('', addCard('A'))], options);
    void codeOf(session.send('Add A'));
    await settle();
    expect(session.pendingConfirmations.value).toHaveLength(1);
    await session.dispose({ turn: 'leave' });
    await world.clock.advance(1_500);
    expect(orphans.seen).toEqual([id]);
    await orphans.stop();
  });

  it('served F36 each record says whether work is open after it', async () => {
    const flags: (boolean | undefined)[] = [];
    const types: string[] = [];
    const world = logWorld((inner) => ({
      append: (lease, record, options) => {
        flags.push(options.open);
        types.push(record.operations.at(-1)!.type);
        return inner.append(lease, record, options);
      },
    }));
    const { session } = await world.open([callTools('', addCard('A')), say('Done.')], {
      domains: [dataBoard().domain()],
    });
    await session.send('Add A');
    const terminal = types.indexOf('completed');
    expect(flags.slice(1, terminal).every((open) => open === true)).toBe(true);
    expect([flags[0], flags[terminal], types[0]]).toEqual([false, false, 'ownerChanged']);
    await session.undo();
    expect(types.slice(terminal + 1)).toContain('undoStarted');
    expect(flags[types.indexOf('undoStarted')]).toBe(true);
    expect(flags.at(-1)).toBe(false);
    await session.dispose();
  });
});
