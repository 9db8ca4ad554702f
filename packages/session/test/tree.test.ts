// Turns form a tree; `turns` and `conversation` are the path to its head.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gatedTool, say, settle, spyTool } from '@banister/testing';
import { UndoHistory, type Operation, type SessionState } from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, type Fixture } from './fixture.js';

const ids = (state: SessionState) => state.turns.map((turn) => turn.id);
const lines = (state: SessionState) => outline(state.conversation.messages);
const noteIn = (f: Fixture) =>
  JSON.stringify(f.provider.requests.at(-1)?.messages.map(({ parts }) => parts[0]));
const headMoved = (f: Fixture) =>
  f.observed.operations.flatMap((operation) => (operation.type === 'headMoved' ? [operation] : []));
const mail = () => spyTool('mail', { execute: (_args, context) => context.irreversible('Sent a mail') });

/** A move of the head, as an operation. */
const moveTo = (to: string | null): Operation => ({
  type: 'headMoved',
  from: null,
  to,
  stays: [],
  sequence: 1_000,
  at: 1_000,
});

/** A session with a completed turn, a failed one, its retry, and one more. */
async function retried() {
  const f = fixture(
    [say('Hi.'), callTools('Half. ', addCard('A')), fail('auth'), say('Done.'), say('Bye.')],
    {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    },
  );
  await f.session.send('Hello');
  await rejection(f.session.send('Go'));
  const failed = f.session.state;
  await f.session.retry();
  await f.session.send('Thanks');
  return { f, failed };
}

describe('the tree of turns', () => {
  it('each turn follows the head, which is the running turn from its start on', async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    const heads: unknown[] = [f.session.headTurnId.value];
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'turnStarted') heads.push(f.session.headTurnId.value);
    });
    await f.session.send('1');
    await f.session.send('2');
    expect(heads).toEqual([null, 'turn_1', 'turn_2']);
    expect(f.session.turns.value.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['turn_1', null],
      ['turn_2', 'turn_1'],
    ]);
    const parents = f.observed.operations.flatMap((op) => (op.type === 'turnStarted' ? [op.parentId] : []));
    expect(parents).toEqual([null, 'turn_1']);
  });

  it('a retry is a sibling of the attempt that it repeats, with the same parent and the same message', async () => {
    const { f, failed } = await retried();
    await using _ = f;
    const { state } = f.session;
    expect(state.turns.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['turn_1', null],
      ['turn_3', 'turn_1'],
      ['turn_4', 'turn_3'],
    ]);
    expect(state.turns[1]?.input).toBe(failed.turns[1]?.input);
    expect(headMoved(f)).toMatchObject([{ from: 'turn_2', to: 'turn_1', stays: [] }]);
  });

  it('a move of the head brings back the turns and messages of another path; turns that leave the path are kept', async () => {
    const { f, failed } = await retried();
    await using _ = f;
    const latest = f.session.state;
    const back = apply(latest, moveTo('turn_2'));
    expect(ids(back)).toEqual(['turn_1', 'turn_2']);
    expect(back.headTurnId).toBe('turn_2');
    expect(back.conversation).toEqual(failed.conversation);
    expect(back.lastOutcome).toEqual(failed.lastOutcome);
    back.turns.forEach((turn, index) => expect(turn).toBe(failed.turns[index]));
    back.conversation.messages.forEach((message, index) =>
      expect(message).toBe(failed.conversation.messages[index]),
    );
    const again = apply(back, moveTo('turn_4'));
    expect(again.turns).toEqual(latest.turns);
    expect(again.conversation).toEqual(latest.conversation);
    expect(again.turns[1]).toBe(latest.turns[1]);
    expect(ids(apply(again, moveTo(null)))).toEqual([]);
    expect(lines(apply(again, moveTo(null)))).toEqual([]);
  });

  it('a move to an unknown turn changes only the number of the last operation', async () => {
    const { f } = await retried();
    await using _ = f;
    const { state } = f.session;
    expect(apply(state, moveTo('turn_9'))).toEqual({ ...state, sequence: 1_000 });
  });

  it('in a damaged log, parents that form a cycle end the path', async () => {
    const { f } = await retried();
    await using _ = f;
    const { state } = f.session;
    const turns = state.turns.map((turn) => (turn.id === 'turn_1' ? { ...turn, parentId: 'turn_4' } : turn));
    expect(ids(apply({ ...state, turns }, moveTo('turn_3')))).toEqual(ids(state));
  });

  it('a log of version 0.1 folds to the same path', async () => {
    const { f } = await retried();
    await using _ = f;
    const old = f.observed.operations.map((operation) => {
      if (operation.type === 'headMoved') {
        const { from: _from, to: _to, stays: _stays, ...stamp } = operation;
        const removed = ['message_3', 'message_4', 'message_5'];
        return { ...stamp, type: 'conversationReplaced', reason: 'retry', removed };
      }
      if (operation.type !== 'turnStarted') return operation;
      const { parentId: _parentId, ...rest } = operation;
      return rest;
    });
    expect((old as readonly Operation[]).reduce(apply, initialState())).toEqual(f.session.state);
  });

  it('a log of version 0.1 that replaces messages of no turn, or of an earlier turn, does not change the path', async () => {
    const { f } = await retried();
    await using _ = f;
    const { state } = f.session;
    const replaced = (removed: readonly string[]) =>
      ({
        sequence: 1,
        time: 0,
        type: 'conversationReplaced',
        reason: 'retry',
        removed,
      }) as unknown as Operation;
    expect(ids(apply(state, replaced(state.turns[0]!.messageIds)))).toEqual(ids(state));
    expect(ids(apply(initialState(), replaced(['message_1'])))).toEqual([]);
  });
});

describe('effects of a turn that left the path', () => {
  it('are noted for the model', async () => {
    await using f = fixture(
      [
        callTools(addCard('A'), { tool: 'board.mail' }),
        fail('auth'),
        fail('quota'),
        say('I see.'),
        say('Yes.'),
      ],
      { domains: [createBoard().domain(mail())], history: new UndoHistory() },
    );
    await rejection(f.session.send('Go'));
    await rejection(f.session.retry());
    await f.session.retry();
    const sent = { turnId: 'turn_1', toolName: 'board.mail', description: 'Sent a mail' };
    expect(headMoved(f).map(({ stays }) => stays)).toMatchObject([[sent], [sent]]);
    expect(f.session.turns.value[0]?.stays).toMatchObject([sent]);
    const note = /previous turn failed.*cannot be reverted and are still in effect: \\"Sent a mail/;
    expect(noteIn(f)).toMatch(note);
    expect(noteIn(f)).not.toMatch(/Added A/);
    await f.session.send('Sure?');
    expect(noteIn(f)).toMatch(note);
    expect(noteIn(f).match(/Sent a mail/g)).toHaveLength(1);
  });

  it('change the note and the record of the turn if they settle late', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('I see.'), say('Good.')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    await f.session.retry();
    expect(headMoved(f)[0]?.stays).toMatchObject([{ turnId: 'turn_1', toolName: 'board.slow' }]);
    expect(noteIn(f)).toMatch(/may or may not have had an effect: \\"board\.slow/);
    run.throw(new Error('late'));
    await settle();
    await f.session.send('And?');
    expect(noteIn(f)).not.toMatch(/board\.slow/);
    const [part] = apply(f.session.state, moveTo('turn_1')).turns[0]?.rounds[0]?.parts ?? [];
    expect(part).toMatchObject({ late: { outcome: 'failed', effect: 'none' } });
  });
});
