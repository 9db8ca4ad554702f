// The notes about effects in the next request.
import { describe, expect, it } from 'vitest';
import { callTools, fail, say, settle, spyTool, stall } from '@banister/testing';
import { stop, UndoHistory, type SavedConversation, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection } from './fixture.js';
import { left, open } from './left-turn.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('notes to the model', () => {
  const noteOf = (messages: readonly { readonly parts: readonly unknown[] }[] | undefined) =>
    JSON.stringify(messages?.at(-1)?.parts);

  it('list an undo in the next request; the stored message does not change', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.undo();
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/undid these effects: \\"Added A\\" \(board\.add\)/);
    expect(outline(f.session.conversation.value.messages).at(-2)).toBe('user: Next');
  });

  it('list a redo', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.undo();
    await f.session.redo();
    await f.session.send('Next');
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toMatch(/re-did.*in effect: \\"Added A/);
  });

  it('list a cancel and the effects that it left', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), { tool: 'board.mail' }), stall(), say('I see.')], {
      domains: [board.domain(spyTool('mail', { execute: (_args, c) => c.irreversible('Sent a mail') }))],
      history: new UndoHistory(),
    });
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    await f.session.send('Next');
    const note = noteOf(f.provider.requests.at(-1)?.messages);
    expect(note).toMatch(/cancelled/);
    expect(note).toMatch(/reverted: \\"Added A/);
    expect(note).toMatch(/still in effect: \\"Sent a mail/);
  });

  it('state that a turn without effects was cancelled, because its message has no answer', async () => {
    await using f = fixture([stall('Deleting'), say('Hello.'), say('Again.')]);
    void f.session.send('Delete everything');
    await settle();
    await f.session.cancel();
    await f.session.send('Hello');
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toContain(
      'The user cancelled the previous turn. Nothing of it is in effect. Do not go on with it unless you are asked to.',
    );
    // It stands before the message that follows, in later requests too, so that the cache of the provider holds.
    await f.session.send('And again');
    const { messages } = f.provider.requests.at(-1)!;
    expect(messages.filter((message) => JSON.stringify(message).includes('cancelled'))).toHaveLength(1);
    expect(noteOf(messages)).not.toContain('cancelled');
  });

  const failedNote =
    'The previous turn failed. Nothing of it is in effect. Do not go on with it unless you are asked to.';

  it.each(['auth', 'network', 'quota', 'invalid-configuration', 'context-length', 'server'] as const)(
    'audit-AD-9 state that a turn failed with %s, because its message has no answer',
    async (code) => {
      await using f = fixture([fail(code), say('Hello.'), say('Again.')], { limits: { maxRetries: 0 } });
      expect(await rejection(f.session.send('Delete everything'))).toMatchObject({ code });
      await f.session.send('Hello');
      const first = f.provider.requests.at(-1)!.messages;
      expect(noteOf(first)).toContain(failedNote);
      // The messages stay as they were, so that the cache of the provider holds.
      await f.session.send('And again');
      const { messages } = f.provider.requests.at(-1)!;
      expect(messages.slice(0, first.length)).toEqual(first);
      expect(noteOf(messages)).not.toContain('failed');
    },
  );

  it('audit-AD-9 state a failed turn after a reload', async () => {
    await using f = fixture([fail('auth')]);
    await rejection(f.session.send('Delete everything'));
    await using next = fixture([say('Hello.')], {
      conversation: JSON.parse(JSON.stringify(f.session.save())) as SavedConversation,
    });
    await next.session.send('Hello');
    expect(noteOf(next.provider.requests.at(-1)?.messages)).toContain(failedNote);
  });

  it('audit-AD-9 state that an interrupted turn was abandoned, and must not be continued', async () => {
    const { session, provider } = await open(await left(undefined, { domains: [createBoard().domain()] }), [
      say('Hello.'),
    ]);
    await session.abandon();
    await session.send('Hello');
    expect(noteOf(provider.requests[0]?.messages)).toMatch(/Do not go on with it unless you are asked to/);
    await session.dispose();
  });

  it('audit-AD-9 state a failed turn in the summary if its message was compacted', async () => {
    const long = 'word '.repeat(400);
    const answers = [say(long), say(long), say(long), say(long), say('A summary.'), say('Yes.')];
    await using f = fixture([fail('auth'), ...answers]);
    await rejection(f.session.send('Delete everything'));
    for (let index = 0; index < 4; index++) await f.session.send(long);
    await f.session.compact();
    await f.session.send('Still there?');
    const { messages } = f.provider.requests.at(-1)!;
    expect(JSON.stringify(messages.find(({ kind }) => kind === 'summary'))).toContain(failedNote);
  });

  it('audit-AD-9 state that a limit stopped a turn before it had an answer', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Hello.')], {
      domains: [board.domain()],
      limits: { maxRounds: 1, onTrip: 'stop' },
    });
    await f.session.send('Add A, then delete everything');
    await f.session.send('Hello');
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toContain(
      'The previous turn was stopped before it had an answer. Do not go on with it unless you are asked to.',
    );
  });

  it('audit-R7 an assistant message follows the results of a turn without an answer', async () => {
    const look = spyTool('look');
    await using f = fixture([callTools({ tool: 'board.look' }), fail('auth'), say('Ok.'), say('Yes.')], {
      domains: domain(look),
    });
    await rejection(f.session.send('Hi'));
    await f.session.send('Go on');
    const first = f.provider.requests.at(-1)!.messages;
    expect(first.map(({ role, parts }) => `${role} ${parts.map(({ type }) => type).join(' ')}`)).toEqual([
      'user text',
      'assistant tool-call',
      'user tool-result',
      'assistant text',
      'user text text',
    ]);
    await f.session.send('And');
    expect(f.provider.requests.at(-1)!.messages.slice(0, first.length)).toEqual(first);
    expect(f.session.conversation.value.messages).toHaveLength(7);
  });

  it('audit-R7 an assistant message without a note follows the results of a turn that a tool stopped', async () => {
    const end = spyTool('end', { execute: () => stop('Done.') });
    await using f = fixture([callTools({ tool: 'board.end' }), say('Ok.')], { domains: domain(end) });
    await f.session.send('Hi');
    await f.session.send('Go on');
    const { messages } = f.provider.requests.at(-1)!;
    expect(messages.at(-2)?.role).toBe('assistant');
    expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'Go on' }]);
  });

  it('are absent when there is nothing to list', async () => {
    const board = createBoard();
    await using f = fixture([...addTurn('A'), say('I see.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('A');
    await f.session.send('Next');
    expect(f.provider.requests.at(-1)?.messages).toEqual(f.session.conversation.value.messages.slice(0, -1));
  });

  it('list the effects of a rolled-back turn that are lost after a reload', async () => {
    const log = await left(undefined, { domains: [createBoard().domain()] });
    const { session, provider } = await open(log, [say('I see.')]);
    await session.abandon();
    expect(session.lastOutcome.value?.report?.lost).toMatchObject([{ description: 'Added A' }]);
    await session.send('Next');
    expect(noteOf(provider.requests[0]?.messages)).toMatch(/still in effect: \\"Added A\\" \(board\.add\)/);
    await session.dispose();
  });

  it('of a retried turn list effects that are still in effect, although its messages are gone', async () => {
    await using f = fixture([callTools({ tool: 'board.mail' }), fail('auth'), say('I see.')], {
      domains: domain(spyTool('mail', { execute: (_args, c) => c.irreversible('Sent a mail') })),
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    await f.session.retry();
    expect(noteOf(f.provider.requests.at(-1)?.messages)).toMatch(/still in effect: \\"Sent a mail/);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: I see.']);
  });
});
