// undo({ turnId }): accepted for the turn that undo() would take back, and for no other.
import { describe, expect, it } from 'vitest';
import { callTools, say } from '@handrail/testing';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';

const addTurn = (title: string) => [callTools(addCard(title)), say('Done.')];

describe('undo of a turn by its id', () => {
  it('C12: undoes it where it is the newest that can be undone', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B'), say('Nothing changed.')], {
      domains: [board.domain()],
    });
    for (const input of ['A', 'B', 'C']) await f.session.send(input);
    const [first, second] = f.session.turns.value;
    await f.session.undo({ turnId: second!.id });
    expect(board.titles).toEqual(['A']);
    await f.session.undo({ turnId: first!.id });
    expect(board.titles).toEqual([]);
  });

  it('C12: is refused with conflict where a newer turn can be undone, also with force, and names that turn', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], { domains: [board.domain()] });
    for (const input of ['A', 'B']) await f.session.send(input);
    const [first, second] = f.session.turns.value;
    const before = f.session.state;
    for (const force of [false, true]) {
      const error = await rejection(f.session.undo({ turnId: first!.id, force }));
      expect(error.code).toBe('conflict');
      expect(error.details).toEqual({ newest: second!.id });
    }
    expect(f.session.state).toBe(before);
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('C24: an option that undo or redo does not know is refused by name, and nothing is undone', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B')], { domains: [board.domain()] });
    for (const input of ['A', 'B']) await f.session.send(input);
    const turnId = f.session.turns.value[0]!.id;
    for (const options of [{ turnID: turnId }, { force: 'yes' }, null, 5]) {
      const error = await rejection(f.session.undo(options as never));
      expect(error.code).toBe('invalid-configuration');
    }
    expect(board.titles).toEqual(['A', 'B']);
    await f.session.undo();
    expect(await rejection(f.session.redo({ turnId } as never))).toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining('turnId'),
    });
    expect(board.titles).toEqual(['A']);
  });

  it('C12: has nothing to undo where the turn is unknown, changed nothing, or is undone already', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), ...addTurn('B'), say('Nothing changed.')], {
      domains: [board.domain()],
    });
    for (const input of ['A', 'B', 'C']) await f.session.send(input);
    const [, second, third] = f.session.turns.value;
    await f.session.undo();
    for (const turnId of ['turn_99', second!.id, third!.id])
      expect((await rejection(f.session.undo({ turnId }))).code).toBe('nothing-to-undo');
    expect(board.titles).toEqual(['A']);
  });
});
