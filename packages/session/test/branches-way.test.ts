// Branch commands where turns that stay as they are touched the same parts of the app.
import { defineTool, type BranchObstacle } from '@banister/session';
import { callTools, say } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { fixture, rejection } from './fixture.js';
import { paintedCards, paintTurn } from './painted.js';

/** A session with cards, whose first turn paints `a` blue, and whose second begins beside it, with the effects of the first kept. */
async function keptBeside(
  stroke: readonly [card: string, colour: string],
  more: readonly ReturnType<typeof say>[] = [],
) {
  const cards = paintedCards('a', 'b');
  const answers = [...paintTurn(['a', 'blue']), ...paintTurn(stroke), ...more];
  const f = fixture(answers, { domains: [cards.domain()] });
  await f.session.send('Paint a blue');
  await f.session.edit('turn_1', 'Paint otherwise', { effects: 'keep' });
  return { cards, f };
}

const obstaclesOf = ({ details }: { readonly details: object }) =>
  (details as { readonly obstacles: readonly BranchObstacle[] }).obstacles;

describe('a branch command if a newer turn stays in effect', () => {
  it('rejects `conflict` if it would undo a turn whose paths a newer turn, which stays, has touched, and names that turn', async () => {
    const { cards, f } = await keptBeside(['a', 'red']);
    await using _ = f;
    const error = await rejection(f.session.switchTo('turn_2', { effects: 'follow' }));
    expect(error.code).toBe('conflict');
    expect(error.message).toContain('other turns changed the same part of the app, and stay as they are');
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_1', reason: 'in-the-way', inTheWay: ['turn_2'] }]);
    expect(cards.colours).toEqual({ a: 'red', b: 'white' });
  });

  it('with `force`, a turn with another turn in its way does not change', async () => {
    const { cards, f } = await keptBeside(['a', 'red']);
    await using _ = f;
    const { done } = await f.session.switchTo('turn_2', { effects: 'follow', force: true });
    expect(done).toEqual([]);
    expect(cards.colours.a).toBe('red');
    expect(f.session.state.undoEntries.map(({ turnId, state }) => [turnId, state])).toEqual([
      ['turn_1', 'done'],
      ['turn_2', 'done'],
    ]);
  });

  it('with `follow` undoes the older effect if the newer turn touched something else', async () => {
    const { cards, f } = await keptBeside(['b', 'red']);
    await using _ = f;
    await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(cards.colours).toEqual({ a: 'white', b: 'red' });
  });

  it('undoes both turns, the newer first, if both are off the new path', async () => {
    const { cards, f } = await keptBeside(['a', 'red'], [say('Hi.')]);
    await using _ = f;
    await f.session.edit('turn_2', 'Greet', { effects: 'keep' });
    await f.session.switchTo('turn_3', { effects: 'follow' });
    expect(cards.colours).toEqual({ a: 'white', b: 'white' });
  });

  it('rejects `edit` if a newer branch kept its effects', async () => {
    const { cards, f } = await keptBeside(['a', 'red']);
    await using _ = f;
    await f.session.switchTo('turn_1');
    const error = await rejection(f.session.edit('turn_1', 'Greet'));
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_1', reason: 'in-the-way', inTheWay: ['turn_2'] }]);
    expect(cards.colours.a).toBe('red');
  });

  it('a turn that stays is itself in the way of those before it', async () => {
    const cards = paintedCards('a', 'b');
    const answers = [
      ...paintTurn(['a', 'blue']),
      ...paintTurn(['a', 'green'], ['b', 'green']),
      ...paintTurn(['b', 'red']),
    ];
    await using f = fixture(answers, { domains: [cards.domain()] });
    await f.session.send('Paint a blue');
    await f.session.send('Paint both green');
    await f.session.edit('turn_1', 'Paint b red', { effects: 'keep' });
    const error = await rejection(f.session.switchTo('turn_3', { effects: 'follow' }));
    expect(obstaclesOf(error)).toEqual([
      { turnId: 'turn_2', reason: 'in-the-way', inTheWay: ['turn_3'] },
      { turnId: 'turn_1', reason: 'in-the-way', inTheWay: ['turn_2'] },
    ]);
    await f.session.switchTo('turn_3', { effects: 'follow', force: true });
    expect(cards.colours).toEqual({ a: 'green', b: 'red' });
  });
});

describe('a branch command that would redo a turn', () => {
  it('`follow` does not redo a turn whose paths a newer turn has overwritten', async () => {
    const cards = paintedCards('a');
    const answers = [...paintTurn(['a', 'blue']), say('Hi.'), ...paintTurn(['a', 'red'])];
    await using f = fixture(answers, { domains: [cards.domain()] });
    await f.session.send('Paint a blue');
    await f.session.edit('turn_1', 'Greet');
    await f.session.switchTo('turn_1');
    await f.session.send('Paint a red');
    const error = await rejection(f.session.switchTo('turn_3', { effects: 'follow' }));
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_1', reason: 'in-the-way', inTheWay: ['turn_3'] }]);
    await f.session.switchTo('turn_3', { effects: 'follow', force: true });
    expect(cards.colours.a).toBe('red');
  });

  it('`follow` does not redo a turn if the effects it began with were undone', async () => {
    const cards = paintedCards('a');
    const answers = [...paintTurn(['a', 'blue']), ...paintTurn(['a', 'red']), say('Hi.')];
    await using f = fixture(answers, { domains: [cards.domain()] });
    await f.session.send('Paint a blue');
    await f.session.send('Paint a red');
    await f.session.edit('turn_2', 'Greet');
    await f.session.undo();
    const error = await rejection(f.session.switchTo('turn_2', { effects: 'follow' }));
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_2', reason: 'in-the-way', inTheWay: ['turn_1'] }]);
    expect(cards.colours.a).toBe('white');
    await f.session.redo();
    await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(cards.colours.a).toBe('red');
  });

  it('`follow` does not redo a turn that began with kept effects of another branch if these are gone', async () => {
    const { cards, f } = await keptBeside(['a', 'red'], [say('Hi.')]);
    await using _ = f;
    await f.session.edit('turn_2', 'Greet');
    expect(cards.colours.a).toBe('blue');
    const error = await rejection(f.session.switchTo('turn_2', { effects: 'follow' }));
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_2', reason: 'in-the-way', inTheWay: ['turn_1'] }]);
    await f.session.switchTo('turn_2', { effects: 'follow', force: true });
    expect(cards.colours.a).toBe('white');
  });

  it('rejects `conflict` if the turn began without effects of an earlier turn that are now redone', async () => {
    const cards = paintedCards('a');
    const answers = [...paintTurn(['a', 'blue']), say('Hi.'), ...paintTurn(['a', 'red']), say('Hi.')];
    await using f = fixture(answers, { domains: [cards.domain()] });
    await f.session.send('Paint a blue');
    await f.session.edit('turn_1', 'Greet');
    await f.session.switchTo('turn_1');
    await f.session.send('Paint a red');
    await f.session.edit('turn_3', 'Greet');
    const opened = await rejection(f.session.switchTo('turn_3', { effects: 'follow' }));
    expect(obstaclesOf(opened)).toEqual([{ turnId: 'turn_3', reason: 'in-the-way', inTheWay: ['turn_1'] }]);
  });

  it('knows after a reload with which effects it began', async () => {
    const { cards, f } = await keptBeside(['a', 'red'], [say('Hi.')]);
    await using _ = f;
    await f.session.edit('turn_2', 'Greet');
    await using later = fixture([], { domains: [cards.domain()], conversation: f.session.save() });
    const error = await rejection(later.session.switchTo('turn_2', { effects: 'follow' }));
    expect(obstaclesOf(error)).toEqual([{ turnId: 'turn_2', reason: 'in-the-way', inTheWay: ['turn_1'] }]);
  });
});

describe('a branch command that is rolled back', () => {
  it('if a turn could not be redone, a later turn on the same paths stays undone too, and is named', async () => {
    const cards = paintedCards('a', 'b');
    const note = defineTool({
      name: 'note',
      description: 'Writes a note, which is locked when it is taken back.',
      parameters: { type: 'object', properties: {} },
      execute(_arguments, context) {
        context.undo({
          description: 'Wrote a note',
          paths: ['notes'],
          revert: () => {
            throw new Error('The note is locked');
          },
        });
      },
    });
    const noted = [
      callTools(
        { tool: 'cards.note', args: {} },
        { tool: 'cards.paint', args: { card: 'a', colour: 'blue' } },
      ),
      say('Done.'),
    ];
    const answers = [...noted, ...paintTurn(['a', 'red']), ...paintTurn(['b', 'red'])];
    await using f = fixture(answers, { domains: [cards.domain({ more: [note] })] });
    for (const input of ['Note', 'Paint a', 'Paint b']) await f.session.send(input);
    const { code, details } = await rejection(f.session.edit('turn_1', 'Greet'));
    expect(code).toBe('undo-failed');
    // Nothing takes the note back, and so nothing makes the whole first turn again: the second would be made again on white.
    expect(details.notRestored).toMatchObject([
      {
        turnId: 'turn_2',
        reason: 'Another turn that changed the same part of the app could not be put back.',
        because: { code: 'other-not-restored' },
      },
      { turnId: 'turn_1', description: 'Painted a blue' },
    ]);
    expect(cards.colours).toEqual({ a: 'white', b: 'red' });
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle' });
  });
});
