// An answer without text behind tools that did the work is a fact of the outcome.
import { callTools, finishWith, say } from '@banister/testing';
import { createMirror, type SavedConversation } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { describe, expect, it } from 'vitest';
import { addCard, createBoard } from './board.js';
import { fixture } from './fixture.js';

describe('the outcome of a turn', () => {
  it('empty-stop-behind-a-tool an empty last answer is stated in signals, the record, a mirror and a saved conversation', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), finishWith('stop', '')], {
      domains: [board.domain()],
    });
    const mirror = createMirror(initialState());
    f.session.operations$.subscribe((operation) => mirror.fold([operation]));
    await f.session.send('Add A');
    const empty = expect.objectContaining({ status: 'completed', empty: true }) as object;
    expect(f.session.lastOutcome.value).toEqual(empty);
    expect(f.session.turns.value[0]!.outcome).toEqual(empty);
    expect(mirror.signals.lastOutcome.value).toEqual(empty);
    expect(board.titles).toEqual(['A']);
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using next = fixture([], { conversation });
    expect(next.session.turns.value[0]!.outcome).toEqual(empty);
  });

  it('empty-stop-behind-a-tool an empty answer is not stated if the last answer has text', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Add A');
    expect(f.session.lastOutcome.value).not.toHaveProperty('empty');
  });
});
