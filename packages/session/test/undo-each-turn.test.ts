// Every turn of a conversation, whatever the others touched.
import { describe, expect, it } from 'vitest';
import { say } from '@banister/testing';
import type { SavedConversation } from '@banister/session';
import { drawnOf } from '../../../test/kit/sample-size.js';
import { fixture, names, rejection, type Fixture } from './fixture.js';
import { paintedCards, paintTurn } from './painted.js';

const CARDS = ['A', 'B'] as const;
type Cards = readonly (typeof CARDS)[number][];

const numbers = [0, 1, 2];

/** Which cards each turn paints: every possibility. */
const conversations = numbers.reduce<readonly (readonly Cards[])[]>(
  (before, _) =>
    before.flatMap((turns) => [['A'], ['B'], ['A', 'B']].map((cards) => [...turns, cards as Cards])),
  [[]],
);

/** The events between the turns and the undo. */
interface Situation {
  readonly name: string;
  /** Cards of another turn, which stands beside the first one: the others are off the path then. */
  readonly beside?: Cards;
  /** Returns the session in which the turn is undone. */
  prepare?(f: Fixture, cards: ReturnType<typeof paintedCards>): Fixture | Promise<Fixture>;
}

const reopened = (f: Fixture, domain: ReturnType<ReturnType<typeof paintedCards>['domain']>) =>
  fixture([], {
    domains: [domain],
    conversation: JSON.parse(JSON.stringify(f.session.save())) as SavedConversation,
  });

const situations: readonly Situation[] = [
  { name: 'in the same page' },
  {
    name: 'with an edit of the user on another path',
    prepare: (f, cards) => {
      cards.paint('C', 'mine');
      return f;
    },
  },
  { name: 'after a reload', prepare: (f, cards) => reopened(f, cards.domain({ revision: 'none' })) },
  { name: 'off the path', beside: [] },
  { name: 'off the path, where the turn on it touched the same', beside: ['A'] },
  {
    name: 'off the path, after a reload',
    beside: ['B'],
    prepare: (f, cards) => reopened(f, cards.domain({ revision: 'none' })),
  },
  {
    name: 'after its tool was removed in the same page',
    prepare: (f) => {
      f.session.configure({ domains: [] });
      return f;
    },
  },
  {
    name: 'after its tool was away and has come back',
    prepare: async (f, cards) => {
      await using away = reopened(f, cards.domain({ revision: 'none', toolName: 'colour' }));
      return reopened(away, cards.domain({ revision: 'none' }));
    },
  },
];

const colourOf = (turn: number) => `colour ${turn}`;

/** Runs the turns of a conversation. */
async function run(turns: readonly Cards[], { beside }: Pick<Situation, 'beside'> = {}) {
  const app = paintedCards(...CARDS);
  const strokes = (cards: Cards, turn: number) =>
    cards.length === 0 ? [say('Done.')] : paintTurn(...cards.map((card) => [card, colourOf(turn)] as const));
  const all = beside === undefined ? turns : [...turns, beside];
  const f = fixture(
    all.flatMap((cards, turn) => strokes(cards, turn)),
    { domains: [app.domain({ revision: 'none' })] },
  );
  for (const _ of turns) await f.session.send('Paint');
  const ids = f.session.turns.value.map(({ id }) => id);
  if (beside !== undefined) {
    await f.session.regenerate({ turnId: ids[0]!, effects: 'keep' });
    ids.push(f.session.turns.value[0]!.id);
  }
  return { f, app, all, ids };
}

/** The later turns that touched the same as a turn, or as one of these, newest first. */
function inTheWayOf(turn: number, turns: readonly Cards[]): readonly number[] {
  const found = new Set([turn]);
  for (let later = turn + 1; later < turns.length; later++)
    if ([...found].some((one) => turns[one]!.some((card) => turns[later]!.includes(card)))) found.add(later);
  return [...found].slice(1).toReversed();
}

/** The colours of the cards when only these turns had run. */
function coloursOf(turns: readonly Cards[], isInEffect: (turn: number) => boolean) {
  const colours: Record<string, string> = Object.fromEntries(CARDS.map((card) => [card, 'white']));
  for (const [turn, cards] of turns.entries())
    if (isInEffect(turn)) for (const card of cards) colours[card] = colourOf(turn);
  return colours;
}

describe.each(situations)('undo of one turn of several, $name', ({ prepare, beside }) => {
  it.each(numbers)(
    'undoes turn %i alone, or after the turns that the conflict names, and redoes it',
    async (k) => {
      for (const turns of drawnOf(conversations, 4)) {
        const { f: first, app, all, ids } = await run(turns, beside === undefined ? {} : { beside });
        await using f = (await prepare?.(first, app)) ?? first;
        const { C, ...before } = app.colours;
        expect(before).toEqual(coloursOf(all, () => true));

        const way = inTheWayOf(k, all);
        if (way.length > 0) {
          const error = await rejection(f.session.undo({ turnId: ids[k]!, force: true }));
          expect(error.code).toBe('conflict');
          expect(error.details).toEqual({ inTheWay: way.map((turn) => ids[turn]) });
          expect(app.colours).toEqual(C === undefined ? before : { ...before, C });
        }
        for (const turn of [...way, k]) {
          const { done } = await f.session.undo({ turnId: ids[turn]! });
          expect(names(done).toSorted()).toEqual(
            all[turn]!.map((card) => `Painted ${card} ${colourOf(turn)}`),
          );
        }
        const isLeft = (turn: number) => turn !== k && !way.includes(turn);
        expect(app.colours).toMatchObject(coloursOf(all, isLeft));

        await f.session.redo({ turnId: ids[k]! });
        expect(app.colours).toMatchObject(coloursOf(all, (turn) => turn === k || isLeft(turn)));
        expect(app.colours['C']).toBe(C);
        await first.session.dispose();
      }
    },
  );
});

describe('undo of one turn of several whose tool is gone after a reload', () => {
  it.each(numbers)('has nothing to undo for turn %i, and changes nothing', async (k) => {
    for (const turns of conversations) {
      const { f: first, app, ids } = await run(turns);
      await using _ = first;
      const before = { ...app.colours };
      for (const toolName of ['colour', null] as const) {
        const domain = app.domain(toolName === null ? {} : { toolName });
        await using f = reopened(first, toolName === null ? { ...domain, tools: [] } : domain);
        expect((await rejection(f.session.undo({ turnId: ids[k]! }))).code).toBe('nothing-to-undo');
        expect(f.session.undoEntries.value[k]).toMatchObject({ lost: true, undoable: false });
      }
      expect(app.colours).toEqual(before);
    }
  });
});

describe('undo of one turn of several if the user changed the same paths', () => {
  it.each(numbers)('is a conflict for turn %i, and changes nothing', async (k) => {
    for (const turns of conversations) {
      const { f, app, ids } = await run(turns);
      await using _ = f;
      f.session.configure({ domains: [app.domain()] });
      const [card] = turns[k]!;
      app.paint(card!, 'mine');
      const before = { ...app.colours };
      expect((await rejection(f.session.undo({ turnId: ids[k]! }))).code).toBe('conflict');
      expect(app.colours).toEqual(before);
    }
  });
});
