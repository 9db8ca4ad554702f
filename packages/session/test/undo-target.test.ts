// Undo of any turn.
import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import type { AgentSession, SavedConversation } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection, resultTexts, type Fixture } from './fixture.js';
import { paintedCards, paintTurn } from './painted.js';

const addTurn = (title: string) => [callTools(addCard(title)), say('Done.')];

/** Sends these messages, and returns the ids of their turns. */
async function sendAll({ session }: Pick<Fixture, 'session'>, ...texts: readonly string[]) {
  for (const text of texts) await session.send(text);
  return session.turns.value.map(({ id }) => id);
}

/** The turns in the way of each entry. */
const ways = ({ undoEntries }: Pick<AgentSession, 'undoEntries'>) =>
  undoEntries.value.map(({ inTheWay }) => inTheWay);

const reloaded = ({ session }: Fixture) => JSON.parse(JSON.stringify(session.save())) as SavedConversation;

describe('undo of a turn by its id', () => {
  it('C12: `undo({ turnId })` undoes only that turn if later turns touched other paths', async () => {
    const cards = paintedCards('A', 'B', 'C');
    await using f = fixture(
      [...paintTurn(['A', 'red']), ...paintTurn(['B', 'red']), ...paintTurn(['C', 'red'])],
      {
        domains: [cards.domain()],
      },
    );
    const [first, second, third] = await sendAll(f, '1', '2', '3');
    expect(ways(f.session)).toEqual([undefined, undefined, undefined]);
    expect(names((await f.session.undo({ turnId: second! })).done)).toEqual(['Painted B red']);
    expect(cards.colours).toEqual({ A: 'red', B: 'white', C: 'red' });
    await f.session.undo({ turnId: first! });
    await f.session.undo({ turnId: third! });
    expect(cards.colours).toEqual({ A: 'white', B: 'white', C: 'white' });
  });

  it('C12: `undo({ turnId })` rejects `conflict` if later turns touched the same path, and names them in the order to undo them', async () => {
    const cards = paintedCards('A', 'B');
    const strokes = [
      ['A', 'red'],
      ['B', 'red'],
      ['A', 'blue'],
      ['A', 'green'],
    ] as const;
    await using f = fixture(
      strokes.flatMap((stroke) => paintTurn(stroke)),
      { domains: [cards.domain()] },
    );
    const [first, , third, fourth] = await sendAll(f, '1', '2', '3', '4');
    const before = f.session.state;
    for (const force of [false, true]) {
      const error = await rejection(f.session.undo({ turnId: first!, force }));
      expect(error.code).toBe('conflict');
      expect(error.message).toBe(
        'Later turns changed the same part of the app; they have to be undone first.',
      );
      expect(error.details).toEqual({ inTheWay: [fourth, third] });
    }
    expect(f.session.state).toBe(before);
    for (const turnId of [fourth!, third!, first!]) await f.session.undo({ turnId });
    expect(cards.colours).toEqual({ A: 'white', B: 'red' });
  });

  it('a conflict also names turns in the way of the turns in the way; the state lists the nearest for each turn', async () => {
    const cards = paintedCards('A', 'B');
    await using f = fixture(
      [...paintTurn(['A', 'red']), ...paintTurn(['A', 'blue'], ['B', 'blue']), ...paintTurn(['B', 'green'])],
      { domains: [cards.domain()] },
    );
    const [first, second, third] = await sendAll(f, '1', '2', '3');
    expect(ways(f.session)).toEqual([[second], [third], undefined]);
    const error = await rejection(f.session.undo({ turnId: first! }));
    expect(error.details).toEqual({ inTheWay: [third, second] });
    await f.session.undo({ turnId: third! });
    expect(ways(f.session)).toEqual([[second], undefined, undefined]);
    await f.session.undo({ turnId: second! });
    expect(ways(f.session)[0]).toBeUndefined();
  });

  it('a turn without paths is in the way of earlier turns of its domain, and of no other turns', async () => {
    const [board, shelf] = [createBoard('board'), createBoard('shelf')];
    await using f = fixture(
      [...addTurn('A'), callTools({ ...addCard('S'), tool: 'shelf.add' }), say('Done.'), ...addTurn('B')],
      { domains: [board.domain(), shelf.domain()] },
    );
    const [first, second, third] = await sendAll(f, '1', '2', '3');
    expect(ways(f.session)).toEqual([[third], undefined, undefined]);
    expect((await rejection(f.session.undo({ turnId: first! }))).details).toEqual({ inTheWay: [third] });
    await f.session.undo({ turnId: second! });
    expect(shelf.titles).toEqual([]);
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('a later turn without undoable effects is in the way of no turn', async () => {
    const cards = paintedCards('A');
    const mail = spyTool('mail', { execute: (_args, { irreversible }) => irreversible('Mailed') });
    await using f = fixture([...paintTurn(['A', 'red']), callTools({ tool: 'cards.mail' }), say('Sent.')], {
      domains: [cards.domain({ more: [mail] })],
    });
    const [first] = await sendAll(f, '1', '2');
    expect(ways(f.session)).toEqual([undefined, undefined]);
    await f.session.undo({ turnId: first! });
    expect(cards.colours).toEqual({ A: 'white' });
  });

  it('a partially undone turn is in the way by its remaining effects', async () => {
    const colours = new Map<string, string>();
    let isLocked = true;
    const paint = spyTool('paint', {
      execute({ card, colour }, { undo }) {
        const [key, before] = [String(card), colours.get(String(card)) ?? 'white'];
        colours.set(key, String(colour));
        undo({
          description: key,
          paths: [key],
          revert() {
            if (isLocked && key === 'B') throw new Error('locked');
            colours.set(key, before);
          },
        });
      },
    });
    const strokes = paintTurn(['A', 'blue'], ['B', 'blue']);
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red']), ...strokes], {
      domains: [{ id: 'cards', tools: [paint] }],
    });
    const [first, second, third] = await sendAll(f, '1', '2', '3');
    await f.session.undo({ turnId: third! });
    expect(ways(f.session)).toEqual([undefined, [third], undefined]);
    await f.session.undo({ turnId: first! });
    expect((await rejection(f.session.undo({ turnId: second! }))).details).toEqual({ inTheWay: [third] });
    isLocked = false;
    for (const turnId of [third!, second!]) await f.session.undo({ turnId });
    expect([...colours.values()]).toEqual(['white', 'white']);
  });

  it('C24: an option that undo or redo does not know is refused by name, and nothing is undone', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], { domains: [board.domain()] });
    const [turnId] = await sendAll(f, 'A', 'B');
    for (const options of [{ turnID: turnId }, { force: 'yes' }, null, 5])
      for (const run of [f.session.undo, f.session.redo]) {
        const error = await rejection(run(options as never));
        expect(error.code).toBe('invalid-configuration');
        if (Object(options) === options) expect(error.message).toContain(Object.keys(options!)[0]);
      }
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('C12: `undo({ turnId })` rejects `nothing-to-undo` for a turn that is unknown, changed nothing or is undone', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B'), say('Nothing changed.')], {
      domains: [board.domain()],
    });
    const [, second, third] = await sendAll(f, 'A', 'B', 'C');
    await f.session.undo();
    for (const turnId of ['turn_99', second!, third!])
      expect((await rejection(f.session.undo({ turnId }))).code).toBe('nothing-to-undo');
    expect(board.titles).toEqual(['A']);
  });

  it('is listed in the next request with exactly the undone effects', async () => {
    const cards = paintedCards('A', 'B');
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red']), say('I see.')], {
      domains: [cards.domain()],
    });
    const [first] = await sendAll(f, '1', '2');
    await f.session.undo({ turnId: first! });
    await f.session.send('3');
    const texts = JSON.stringify(f.provider.requests.at(-1)!.messages);
    expect(texts.match(/Painted \w red/g)).toEqual(['Painted A red']);
    expect(resultTexts(f.provider.requests.at(-1)!)).toHaveLength(2);
  });
});

describe('the revisions of a domain after the undo of a turn below other turns', () => {
  it.each(['content', 'counter'] as const)(
    'count as the session’s own: later turns are undone without a conflict, with a revision by %s',
    async (revision) => {
      const cards = paintedCards('A', 'B', 'C');
      await using f = fixture(
        ['A', 'B', 'C'].flatMap((card) => paintTurn([card, 'red'])),
        {
          domains: [cards.domain({ revision })],
        },
      );
      const [first, second] = await sendAll(f, '1', '2', '3');
      await f.session.undo({ turnId: first! });
      await f.session.undo({ turnId: second! });
      await f.session.redo({ turnId: first! });
      await f.session.undo();
      expect(cards.colours).toEqual({ A: 'red', B: 'white', C: 'white' });
    },
  );

  it('count as the session’s own even after a revert that waits, if the revision is a counter', async () => {
    const cards = paintedCards('A', 'B');
    const domain = cards.domain({ revision: 'counter', wait: () => Promise.resolve() });
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])], { domains: [domain] });
    const [first, second] = await sendAll(f, '1', '2');
    for (const turnId of [first!, second!]) await f.session.undo({ turnId });
    expect(cards.colours).toEqual({ A: 'white', B: 'white' });
  });

  it('count as changed by the user after a revert that waits, if they are made from the content', async () => {
    const cards = paintedCards('A', 'B');
    const domain = cards.domain({ wait: () => Promise.resolve() });
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])], { domains: [domain] });
    const [first, second] = await sendAll(f, '1', '2');
    await f.session.undo({ turnId: first! });
    expect((await rejection(f.session.undo({ turnId: second! }))).details).toEqual({ domains: ['cards'] });
    await f.session.undo({ turnId: second!, force: true });
    expect(cards.colours).toEqual({ A: 'white', B: 'white' });
  });

  it('also count an edit of the user on another path: the undo is a conflict, unless forced', async () => {
    const cards = paintedCards('A', 'B');
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])], {
      domains: [cards.domain()],
    });
    const [first] = await sendAll(f, '1', '2');
    cards.paint('C', 'black');
    expect((await rejection(f.session.undo({ turnId: first! }))).details).toEqual({ domains: ['cards'] });
    await f.session.undo({ turnId: first!, force: true });
    expect(cards.colours).toEqual({ A: 'white', B: 'red', C: 'black' });
  });
});

describe('redo after the undo of any turn', () => {
  it('`redo()` redoes the turn that was undone last', async () => {
    const cards = paintedCards('A', 'B', 'C');
    await using f = fixture(
      ['A', 'B', 'C'].flatMap((card) => paintTurn([card, 'red'])),
      {
        domains: [cards.domain()],
      },
    );
    const [first, , third] = await sendAll(f, '1', '2', '3');
    await f.session.undo({ turnId: first! });
    await f.session.undo({ turnId: third! });
    await f.session.redo();
    expect(cards.colours).toEqual({ A: 'white', B: 'red', C: 'red' });
    await f.session.redo();
    expect(cards.colours).toEqual({ A: 'red', B: 'red', C: 'red' });
    expect(f.session.canRedo.value).toBe(false);
  });

  it('`redo({ turnId })` redoes only that turn', async () => {
    const cards = paintedCards('A', 'B');
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])], {
      domains: [cards.domain()],
    });
    const [first, second] = await sendAll(f, '1', '2');
    await f.session.undo();
    await f.session.undo();
    expect(names((await f.session.redo({ turnId: second! })).done)).toEqual(['Painted B red']);
    expect((await rejection(f.session.redo({ turnId: second! }))).code).toBe('nothing-to-undo');
    expect((await rejection(f.session.redo({ turnId: 'turn_99' }))).code).toBe('nothing-to-undo');
    await f.session.redo({ turnId: first! });
    expect(cards.colours).toEqual({ A: 'red', B: 'red' });
  });

  it('`redo({ turnId })` rejects `conflict` if an earlier turn on the same paths has to be redone first', async () => {
    const cards = paintedCards('A');
    const colours = ['red', 'blue', 'green'];
    await using f = fixture(
      colours.flatMap((colour) => paintTurn(['A', colour])),
      { domains: [cards.domain()] },
    );
    const [first, second, third] = await sendAll(f, '1', '2', '3');
    for (let turns = 0; turns < 3; turns++) await f.session.undo();
    expect(ways(f.session)).toEqual([undefined, [first], [second]]);
    const error = await rejection(f.session.redo({ turnId: third!, force: true }));
    expect(error.message).toBe(
      'Other turns changed the same part of the app; they have to be made again, or undone, first.',
    );
    expect(error.code).toBe('conflict');
    expect(error.details).toEqual({ inTheWay: [first, second] });
    for (const turnId of [first!, second!, third!]) await f.session.redo({ turnId });
    expect(cards.colours).toEqual({ A: 'green' });
  });

  it('the undo of a turn that cannot be redone clears redo for later turns on the same paths', async () => {
    const cards = paintedCards('A', 'B');
    const fix = spyTool('fix', {
      execute(_args, { undo }) {
        cards.paint('A', 'fixed');
        undo({ description: 'Fixed A', paths: ['cards/A'], revert: () => cards.paint('A', 'white') });
      },
    });
    await using f = fixture(
      [
        callTools({ tool: 'cards.fix' }),
        say('Fixed.'),
        ...paintTurn(['A', 'red']),
        ...paintTurn(['B', 'red']),
      ],
      { domains: [cards.domain({ more: [fix] })] },
    );
    const [, second, third] = await sendAll(f, '1', '2', '3');
    for (let turns = 0; turns < 3; turns++) await f.session.undo();
    expect((await rejection(f.session.redo({ turnId: second! }))).code).toBe('nothing-to-undo');
    await f.session.redo();
    expect(f.session.undoEntries.value.find(({ turnId }) => turnId === third)?.state).toBe('done');
    expect(cards.colours).toEqual({ A: 'white', B: 'red' });
  });
});

describe('undo of any turn after a reload', () => {
  it('knows the turns in the way, the order of redo, and which turns below other turns can be redone', async () => {
    const cards = paintedCards('A', 'B', 'C');
    const strokes = [
      ['A', 'red'],
      ['B', 'red'],
      ['A', 'blue'],
      ['C', 'red'],
    ] as const;
    const domains = [cards.domain()];
    await using f = fixture(
      strokes.flatMap((stroke) => paintTurn(stroke)),
      { domains },
    );
    const [first, second, third, fourth] = await sendAll(f, '1', '2', '3', '4');
    await f.session.undo({ turnId: second! });
    await f.session.undo({ turnId: fourth! });
    await f.session.redo();
    await using g = fixture([], { domains, conversation: reloaded(f) });
    expect(ways(g.session)).toEqual([[third], undefined, undefined, undefined]);
    expect((await rejection(g.session.undo({ turnId: first! }))).details).toEqual({ inTheWay: [third] });
    await g.session.undo({ turnId: third! });
    await g.session.undo({ turnId: first! });
    expect(cards.colours).toEqual({ A: 'white', B: 'white', C: 'red' });
    await g.session.redo();
    await g.session.redo({ turnId: second! });
    await g.session.redo();
    expect(cards.colours).toEqual({ A: 'blue', B: 'red', C: 'red' });
  });

  it('a turn whose tool was renamed has nothing to undo, and is in the way of no turn', async () => {
    const cards = paintedCards('A');
    const colour = [callTools({ tool: 'cards.colour', args: { card: 'A', colour: 'blue' } }), say('Done.')];
    await using f = fixture([...paintTurn(['A', 'red'])], { domains: [cards.domain()] });
    await sendAll(f, '1');
    await using g = fixture(colour, {
      domains: [cards.domain({ toolName: 'colour' })],
      conversation: reloaded(f),
    });
    const [first, second] = await sendAll(g, '2');
    expect((await rejection(g.session.undo({ turnId: first! }))).code).toBe('nothing-to-undo');
    await using h = fixture([], { domains: [cards.domain()], conversation: reloaded(g) });
    expect(h.session.undoEntries.value).toMatchObject([{ lost: false }, { lost: true }]);
    expect((await rejection(h.session.undo({ turnId: second! }))).code).toBe('nothing-to-undo');
    await h.session.undo({ turnId: first! });
    expect(cards.colours).toEqual({ A: 'white' });
  });

  it('undoes a turn whose tool `configure` removed, in the same page', async () => {
    const cards = paintedCards('A', 'B');
    await using f = fixture([...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])], {
      domains: [cards.domain()],
    });
    const [first] = await sendAll(f, '1', '2');
    f.session.configure({ domains: [] });
    await f.session.undo({ turnId: first! });
    expect(cards.colours).toEqual({ A: 'white', B: 'red' });
  });
});
