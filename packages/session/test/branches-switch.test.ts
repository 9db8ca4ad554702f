// `switchTo`, and undo across branches.
import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool, type AnswerSource } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { adding, path, steps, withCards } from './branched.js';
import { fixture, names, outline, rejection } from './fixture.js';

/** A board with the cards A and C; B was taken back by an edit. */
async function edited(more: readonly AnswerSource[] = []) {
  const made = await withCards(['A', 'B'], [...adding('C'), ...more]);
  await made.f.session.edit('turn_2', 'Add C');
  return made;
}

const entries = ({ f }: Awaited<ReturnType<typeof edited>>) =>
  f.session.undoEntries.value.map(({ turnId, state, offPath, by }) =>
    [turnId, state, ...(offPath ? ['offPath'] : []), ...(by ? [by] : [])].join(' '),
  );

describe('switchTo', () => {
  it('`switchTo` moves the head to the turn that was started last in the branch', async () => {
    const made = await edited();
    const { f, board } = made;
    await using _ = f;
    const from = f.observed.operations.length;
    const report = await f.session.switchTo('turn_2');
    expect(report.done).toEqual([]);
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
    expect(board.titles).toEqual(['A', 'C']);
    expect(steps(f.observed.operations.slice(from))).toEqual(['headMoved turn_3 turn_2']);
    expect(outline(f.session.conversation.value.messages).at(-1)).toBe('assistant: Added B.');
    await f.session.switchTo('turn_1');
    expect(path(f)).toEqual(['turn_1', 'turn_3']);
  });

  it('shows the state as after opening a save at that head', async () => {
    const { f } = await edited();
    await using _ = f;
    await f.session.switchTo('turn_2');
    const { lastOutcome, currentText, budget, lastError } = f.session.state;
    expect({ currentText, lastError, spent: budget.rounds.spent }).toEqual({
      currentText: '',
      lastError: null,
      spent: 0,
    });
    expect(lastOutcome).toBe(f.session.turns.value[1]?.outcome);
  });

  it('with `follow` it undoes the effects of the old branch, and redoes the effects of the new branch', async () => {
    const made = await edited();
    const { f, board } = made;
    await using _ = f;
    expect(entries(made)).toEqual(['turn_1 done', 'turn_2 undone offPath branch', 'turn_3 done']);
    const from = f.observed.operations.length;
    const report = await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(names(report.done)).toEqual(['Added C', 'Added B']);
    expect(board.titles).toEqual(['A', 'B']);
    expect(steps(f.observed.operations.slice(from))).toEqual([
      'undoStarted turn_3',
      'undone turn_3 goes-on',
      'redoStarted turn_2',
      'redone turn_2 goes-on',
      'headMoved turn_3 turn_2',
    ]);
    expect(entries(made)).toEqual(['turn_1 done', 'turn_2 done', 'turn_3 undone offPath branch']);
    await f.session.switchTo('turn_3', { effects: 'follow' });
    expect(board.titles).toEqual(['A', 'C']);
  });

  it('to the current head it moves nothing, but with `follow` it moves effects', async () => {
    const made = await edited();
    const { f, board } = made;
    await using _ = f;
    await f.session.switchTo('turn_2');
    const from = f.observed.operations.length;
    await f.session.switchTo('turn_2');
    expect(f.observed.operations.length).toBe(from);
    await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(board.titles).toEqual(['A', 'B']);
    expect(steps(f.observed.operations.slice(from)).at(-1)).toBe('redone turn_2 ends');
    expect(f.session.state).toMatchObject({ isRunning: false, phase: 'idle', canUndo: true });
  });

  it('`follow` leaves undone what the user undid', async () => {
    const { f, board } = await withCards(['A', 'B'], [say('Hi.')]);
    await using _ = f;
    await f.session.edit('turn_2', 'Greet');
    await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(board.titles).toEqual(['A', 'B']);
    await f.session.undo();
    await f.session.switchTo('turn_3', { effects: 'follow' });
    await f.session.switchTo('turn_2', { effects: 'follow' });
    expect(board.titles).toEqual(['A']);
  });

  it('a turn that cannot be redone is a `conflict` unless forced', async () => {
    const { f, board } = await withCards(
      [],
      [...adding('A'), callTools({ tool: 'board.drop', args: { title: 'A' } }), say('Dropped.'), say('Hi.')],
    );
    await using _ = f;
    await f.session.send('Add A');
    await f.session.send('Drop A');
    await f.session.edit('turn_2', 'Greet');
    expect(board.titles).toEqual(['A']);
    const error = await rejection(f.session.switchTo('turn_2', { effects: 'follow' }));
    expect(error.code).toBe('conflict');
    expect(error.details).toEqual({ obstacles: [{ turnId: 'turn_2', reason: 'not-redoable' }] });
    expect(path(f)).toEqual(['turn_1', 'turn_3']);
    await f.session.switchTo('turn_2', { effects: 'follow', force: true });
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
    expect(board.titles).toEqual(['A']);
  });

  it('domains that the user changed are obstacles of `follow`, also for turns that it would redo', async () => {
    const { f, board } = await edited();
    await using _ = f;
    board.put('Mine');
    const { code, details } = await rejection(f.session.switchTo('turn_2', { effects: 'follow' }));
    expect(code).toBe('conflict');
    expect(details).toEqual({
      obstacles: [
        { turnId: 'turn_3', reason: 'revision', domains: ['board'] },
        { turnId: 'turn_2', reason: 'revision', domains: ['board'] },
      ],
    });
    expect(board.titles).toEqual(['A', 'C', 'Mine']);
  });

  it('with follow and force reports the effects that stay', async () => {
    const board = createBoard();
    const mail = spyTool('mail', { execute: (_args, context) => context.irreversible('Sent a mail') });
    const both = callTools(addCard('A'), { tool: 'board.mail', args: {} });
    await using f = fixture([both, say('Sent.'), say('Hi.')], { domains: [board.domain(mail)] });
    await f.session.send('Write');
    await f.session.edit('turn_1', 'Greet', { effects: 'keep' });
    const report = await f.session.switchTo('turn_2', { effects: 'follow', force: true });
    expect([names(report.done), names(report.irreversible)]).toEqual([['Added A'], ['Sent a mail']]);
    expect(board.titles).toEqual([]);
  });

  it('the next turn reads a note about effects of other branches that are still in effect', async () => {
    const made = await edited(adding('D'));
    const { f } = made;
    await using _ = f;
    await f.session.switchTo('turn_2');
    await f.session.send('Add D');
    expect(f.session.turns.value.at(-1)?.stays).toMatchObject([{ turnId: 'turn_3', description: 'Added C' }]);
    expect(JSON.stringify(f.provider.requests.at(-1)?.messages)).toContain('\\"Added C\\" (board.add)');
  });
});

describe('switchTo the head itself', () => {
  it('shows the session as idle when the promise has settled', async () => {
    const { f } = await withCards(['A']);
    await using _ = f;
    const switched = f.session.switchTo('turn_1');
    expect(f.session.isRunning.value).toBe(true);
    await switched;
    expect([f.session.isRunning.value, f.session.phase.value]).toEqual([false, 'idle']);
  });
});

describe('the list of effects of other branches that a turn carries', () => {
  const staysOf = (turn: { readonly stays?: readonly { readonly description: string }[] } | undefined) =>
    (turn?.stays ?? []).map(({ description }) => description);

  it('the list follows an undo after the move of the head', async () => {
    const { f } = await edited([say('Hello.')]);
    await using _ = f;
    await f.session.switchTo('turn_2');
    await f.session.undo();
    await f.session.send('Hi');
    expect(staysOf(f.session.turns.value.at(-1))).toEqual([]);
  });

  it('the list follows a redo after the move of the head', async () => {
    const { f } = await edited([say('Hello.')]);
    await using _ = f;
    await f.session.undo();
    await f.session.switchTo('turn_2');
    await f.session.redo();
    await f.session.send('Hi');
    expect(staysOf(f.session.turns.value.at(-1))).toEqual(['Added C']);
    expect(JSON.stringify(f.provider.requests.at(-1)?.messages)).toContain('\\"Added C\\" (board.add)');
  });

  it('has effects that `follow` redid, if no earlier turn of the path lists them', async () => {
    const { f } = await edited([say('Hello.'), say('Hello again.')]);
    await using _ = f;
    await f.session.switchTo('turn_2', { effects: 'follow' });
    await f.session.switchTo('turn_3');
    await f.session.send('Hi');
    expect(staysOf(f.session.turns.value.at(-1))).toEqual(['Added B']);
    await f.session.send('Hi again');
    expect(staysOf(f.session.turns.value.at(-1))).toEqual([]);
  });

  it('a save between the move of the head and the next message loses no note', async () => {
    const { f } = await edited();
    await using _ = f;
    await f.session.switchTo('turn_2');
    await using reopened = fixture([say('Hello.')], { conversation: f.session.save() });
    await reopened.session.send('Hi');
    expect(staysOf(reopened.session.turns.value.at(-1))).toEqual(['Added C']);
  });
});

describe('undo across branches', () => {
  it('`undo()` undoes the newest turn in effect, even if it is off the path', async () => {
    const made = await edited();
    const { f, board } = made;
    await using _ = f;
    await f.session.switchTo('turn_2');
    expect(entries(made)).toEqual(['turn_1 done', 'turn_2 undone branch', 'turn_3 done offPath']);
    expect(names((await f.session.undo()).done)).toEqual(['Added C']);
    expect(board.titles).toEqual(['A']);
    expect(f.session.canRedo.value).toBe(true);
    await f.session.redo();
    expect(board.titles).toEqual(['A', 'C']);
    await f.session.undo();
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('`redo()` never redoes what a branch command undid', async () => {
    const made = await edited();
    const { f } = made;
    await using _ = f;
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
  });

  it('a turn that was taken back by a branch command is still known after a reload', async () => {
    const made = await edited();
    const { f } = made;
    await using _ = f;
    const saved = JSON.parse(JSON.stringify(f.session.save()));
    expect(saved.turns[1].record.undo.by).toBe('branch');
  });
});
