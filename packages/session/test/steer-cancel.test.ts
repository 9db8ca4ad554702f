// A steering message and a cancel in the same tick, at each point of a turn.
import { confirmTools } from '@banister/session';
import {
  callTools,
  gate,
  gatedTool,
  say,
  settle,
  stall,
  type AnswerSource,
  type Gate,
} from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, terminals, type Fixture } from './fixture.js';

/** A turn that has come to a point, and what its end would need if it were not cancelled. */
interface Reached {
  readonly f: Fixture;
  readonly turn: Promise<{ readonly code: string }>;
  readonly titles: () => readonly string[];
  readonly goOn: () => void;
}

async function streaming(
  answer: (more: Gate) => AnswerSource,
  limits?: { readonly maxRounds: number },
): Promise<Reached> {
  const more = gate();
  const board = createBoard();
  const f = fixture([answer(more)], { domains: [board.domain()] });
  await f.session.resumeQueue();
  const turn = rejection(f.session.send('Go', limits && { limits }));
  await more.reached;
  return { f, turn, titles: () => board.titles, goOn: () => more.open() };
}

const points: Readonly<Record<string, () => Promise<Reached>>> = {
  'while the turn is prepared': async () => {
    const f = fixture([say('Fine.')], { looseScript: true });
    await f.session.resumeQueue();
    return { f, turn: rejection(f.session.send('Go')), titles: () => [], goOn: () => {} };
  },
  'while the model thinks': () =>
    streaming((more) => callTools({ type: 'thinking', delta: 'Hm.' }, more, addCard('A'))),
  'while text streams': () => streaming((more) => callTools('One', more, addCard('A'))),
  'on the last permitted round': () =>
    streaming((more) => callTools('One', more, addCard('A')), { maxRounds: 1 }),
  'while the model is silent': async () => {
    const f = fixture([stall('One')]);
    await f.session.resumeQueue();
    const turn = rejection(f.session.send('Go'));
    await settle();
    return { f, turn, titles: () => [], goOn: () => {} };
  },
  'while the user is asked': async () => {
    const board = createBoard();
    const f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    await f.session.resumeQueue();
    const turn = rejection(f.session.send('Go'));
    await settle();
    expect(f.session.phase.value).toBe('confirming');
    const question = f.session.pendingConfirmation.value;
    return { f, turn, titles: () => board.titles, goOn: () => void question?.approve() };
  },
  'while a tool runs': async () => {
    const tool = gatedTool('act');
    const f = fixture([callTools({ tool: 'app.act', args: {} })], {
      domains: [{ id: 'app', tools: [tool] }],
    });
    await f.session.resumeQueue();
    const turn = rejection(f.session.send('Go'));
    const run = await tool.next();
    return { f, turn, titles: () => [], goOn: () => run.settle() };
  },
  'in the last round, after a call': async () => {
    const more = gate();
    const board = createBoard();
    const f = fixture([callTools(addCard('A')), say(['Done', more, '.'])], { domains: [board.domain()] });
    await f.session.resumeQueue();
    const turn = rejection(f.session.send('Go'));
    await more.reached;
    return { f, turn, titles: () => board.titles, goOn: () => more.open() };
  },
};

describe('a message that steers, and a cancel in the same tick', () => {
  it.each(Object.keys(points))(
    '%s: the turn is cancelled, and the message is first in the paused queue',
    async (point) => {
      const { f, turn, titles, goOn } = await points[point]!();
      await using _ = f;
      const steered = f.session.steer('Also B');
      const cancelled = f.session.cancel();
      goOn();
      expect((await cancelled).cancelled).toBe(true);
      expect((await turn).code).toBe('cancelled');
      expect(await steered).toBe('queued');
      await f.clock.advance(1_000);
      expect(f.observed.types).not.toContain('steered');
      expect(f.session.queue.value).toMatchObject([{ input: 'Also B', steering: false }]);
      expect(f.session.queuePaused.value).toBe(true);
      expect(terminals(f)).toEqual(['cancelled']);
      expect(titles()).toEqual([]);
    },
  );
});
