// Regenerate and edit.
import { describe, expect, it } from 'vitest';
import { callTools, fail, say, settle, spyTool, stall } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { adding, path, steps, withCards } from './branched.js';
import { fixture, outline, rejection } from './fixture.js';

const noteOf = (
  request: { readonly messages: readonly { readonly parts: readonly object[] }[] } | undefined,
) => JSON.stringify(request?.messages.map(({ parts }) => parts[0]));

describe('regenerate', () => {
  it('`regenerate` starts a sibling of a turn, with the same message', async () => {
    const { f } = await withCards(['A'], [say('Hi.'), say('Hello.')]);
    await using _ = f;
    await f.session.send('Greet', { limits: { maxRounds: 3 } });
    const before = f.session.turns.value[1];
    const { text } = await f.session.regenerate();
    expect(text).toBe('Hello.');
    const after = f.session.turns.value[1];
    expect(after).toMatchObject({
      parentId: before?.parentId,
      retryOf: before?.id,
      options: before?.options,
    });
    expect(after?.input).toBe(before?.input);
    expect(outline(f.session.conversation.value.messages).slice(-2)).toEqual([
      'user: Greet',
      'assistant: Hello.',
    ]);
    expect(f.session.branches.value[after!.id]).toEqual({ position: 2, ids: ['turn_2', 'turn_3'] });
  });

  it('first undoes the effects of the turns that leave the path, newest first, then moves the head', async () => {
    const { f, board } = await withCards(['A', 'B', 'C'], adding('D'));
    await using _ = f;
    const from = f.observed.operations.length;
    await f.session.regenerate({ turnId: 'turn_2' });
    expect(board.titles).toEqual(['A', 'D']);
    expect(steps(f.observed.operations.slice(from))).toEqual([
      'undoStarted turn_3',
      'undone turn_3 goes-on',
      'undoStarted turn_2',
      'undone turn_2 goes-on',
      'headMoved turn_3 turn_1',
      'turnStarted turn_4 turn_1',
    ]);
    expect(path(f)).toEqual(['turn_1', 'turn_4']);
  });

  it('`isRunning` is true from the call on', async () => {
    const { f } = await withCards(['A'], adding('B'));
    await using _ = f;
    const running = f.session.regenerate();
    expect(f.session.isRunning.value).toBe(true);
    const shown: boolean[] = [];
    f.session.operations$.subscribe(({ type }) => {
      if (type !== 'completed') shown.push(f.session.isRunning.value);
    });
    expect((await rejection(f.session.send('Meanwhile'))).code).toBe('already-running');
    expect((await rejection(f.session.undo())).code).toBe('already-running');
    expect((await rejection(f.session.regenerate())).code).toBe('already-running');
    await running;
    expect(new Set(shown)).toEqual(new Set([true]));
    expect(f.session.isRunning.value).toBe(false);
  });

  it("with `effects: 'keep'` leaves the effects in the app, and the model reads a note about them", async () => {
    const { f, board } = await withCards(['A'], adding('B'));
    await using _ = f;
    await f.session.regenerate({ effects: 'keep' });
    expect(board.titles).toEqual(['A', 'B']);
    expect(noteOf(f.provider.requests[2])).toContain(
      'These effects are still in effect: \\"Added A\\" (board.add).',
    );
    expect(f.session.turns.value[0]?.stays).toMatchObject([{ turnId: 'turn_1', description: 'Added A' }]);
  });

  it('does not undo effects of turns that are off the path already', async () => {
    const { f, board } = await withCards(['A'], [...adding('B'), ...adding('C')]);
    await using _ = f;
    await f.session.regenerate({ effects: 'keep' });
    await f.session.regenerate();
    expect(board.titles).toEqual(['A', 'C']);
  });

  it('`regenerate` accepts any turn, even off the path', async () => {
    const { f, board } = await withCards(['A', 'B'], [...adding('C'), ...adding('D')]);
    await using _ = f;
    await f.session.regenerate({ turnId: 'turn_1' });
    expect(board.titles).toEqual(['C']);
    await f.session.regenerate({ turnId: 'turn_2' });
    expect(board.titles).toEqual(['D']);
    expect(path(f)).toEqual(['turn_1', 'turn_4']);
    expect(f.session.turns.value[1]?.retryOf).toBe('turn_2');
  });

  it('works after a failed, a cancelled and a stopped turn alike', async () => {
    await using f = fixture([fail('auth'), stall('x'), say('Done.')]);
    await rejection(f.session.send('Go'));
    const cancelled = f.session.regenerate();
    await settle();
    await f.session.cancel();
    await rejection(cancelled);
    expect((await f.session.regenerate()).text).toBe('Done.');
    expect(path(f)).toEqual(['turn_3']);
  });

  it('rejects if there is no such turn, or an option is wrong, and changes nothing', async () => {
    await using empty = fixture([]);
    expect((await rejection(empty.session.regenerate())).code).toBe('nothing-to-retry');
    const { f } = await withCards(['A']);
    await using _ = f;
    const before = f.session.state;
    const codes = await Promise.all([
      rejection(f.session.regenerate({ turnId: 'turn_9' })).then(({ code }) => code),
    ]);
    codes.push((await rejection(f.session.regenerate({ effects: 'follow' as 'keep' }))).code);
    codes.push((await rejection(f.session.regenerate({ effect: 'keep' } as object))).code);
    codes.push((await rejection(f.session.switchTo('turn_1', { force: 'no' as never }))).code);
    codes.push((await rejection(f.session.edit('turn_1', ''))).code);
    codes.push((await rejection(f.session.edit('turn_9', 'Hi'))).code);
    codes.push((await rejection(f.session.switchTo('turn_9'))).code);
    for (const id of [undefined, null, 1n, '__proto__'] as unknown as string[]) {
      expect((await rejection(f.session.switchTo(id))).code).toBe('invalid-input');
      expect((await rejection(f.session.edit(id, 'Hi'))).code).toBe('invalid-input');
    }
    expect(codes).toEqual([
      'invalid-input',
      'invalid-configuration',
      'invalid-configuration',
      'invalid-configuration',
      'invalid-input',
      'invalid-input',
      'invalid-input',
    ]);
    expect(f.session.state).toEqual(before);
  });
});

describe('edit', () => {
  it('`edit` starts a turn with the new message', async () => {
    const { f, board } = await withCards(['A', 'B'], adding('C'));
    await using _ = f;
    const old = f.session.turns.value[0]!;
    await f.session.edit('turn_1', { text: 'Add C' });
    expect(board.titles).toEqual(['C']);
    const [turn] = f.session.turns.value;
    expect(path(f)).toEqual(['turn_3']);
    expect(turn?.retryOf).toBeUndefined();
    expect(turn?.input.id).not.toBe(old.input.id);
    expect(outline([turn!.input])).toEqual(['user: Add C']);
  });

  it('rejects for a message that the provider does not accept, before an effect is taken back', async () => {
    const { f, board } = await withCards(['A'], [], { scripted: { images: false } });
    await using _ = f;
    const before = f.session.state;
    const image = { text: 'Look', images: [{ mediaType: 'image/png', data: 'AAAA' }] };
    expect((await rejection(f.session.edit('turn_1', image))).code).toBe('unsupported');
    expect(f.session.state).toEqual(before);
    expect(board.titles).toEqual(['A']);
  });

  it('keeps the limits of the turn', async () => {
    const { f } = await withCards([], [say('Hi.'), say('Hello.')]);
    await using _ = f;
    await f.session.send('Greet', { limits: { maxRounds: 3, maxTokens: Infinity } });
    await f.session.edit('turn_1', 'Greet me');
    expect(f.session.turns.value[0]?.options).toEqual({ limits: { maxRounds: 3, maxTokens: null } });
  });
});

describe('an effect that cannot be taken back', () => {
  const mail = () => spyTool('mail', { execute: (_args, context) => context.irreversible('Sent a mail') });

  async function withMail() {
    const board = createBoard();
    const f = fixture(
      [callTools(addCard('A'), { tool: 'board.mail', args: {} }), say('Sent.'), say('Again.')],
      { domains: [board.domain(mail())] },
    );
    await f.session.send('Write');
    return { f, board };
  }

  it('rejects conflict with every obstacle before anything runs', async () => {
    const { f, board } = await withMail();
    await using _ = f;
    board.put('Mine');
    const before = f.session.state;
    const error = await rejection(f.session.regenerate());
    expect(error.code).toBe('conflict');
    expect(error.details).toMatchObject({
      obstacles: [
        { turnId: 'turn_1', reason: 'irreversible', toolName: 'board.mail', description: 'Sent a mail' },
        { turnId: 'turn_1', reason: 'revision', domains: ['board'] },
      ],
    });
    expect(f.session.state).toEqual(before);
    expect(board.titles).toEqual(['A', 'Mine']);
    await f.session.regenerate({ effects: 'keep' });
  });

  it('has no step if its turn has no other effect', async () => {
    await using f = fixture([callTools({ tool: 'board.mail', args: {} }), say('Sent.'), say('Again.')], {
      domains: [createBoard().domain(mail())],
    });
    await f.session.send('Write');
    await f.session.regenerate({ force: true });
    expect(f.observed.types).not.toContain('undoStarted');
    expect(f.session.turns.value[0]?.stays).toMatchObject([{ description: 'Sent a mail' }]);
  });

  it('`force` continues, and the model reads which effects stay', async () => {
    const { f, board } = await withMail();
    await using _ = f;
    await f.session.regenerate({ force: true });
    expect(board.titles).toEqual([]);
    expect(f.session.turns.value[0]?.stays).toMatchObject([{ description: 'Sent a mail' }]);
    expect(noteOf(f.provider.requests[2])).toContain('Sent a mail');
  });
});
