// Sections 3 and 7 of the contract: the notes about effects in the next request.
import { describe, expect, it } from 'vitest';
import { callTools, fail, say, settle, spyTool, stall } from '@banister/testing';
import { UndoHistory, type Tool } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection } from './fixture.js';
import { left, open } from './left-turn.js';

const addTurn = (title: string) => [callTools(addCard(title)), say(`Added ${title}.`)];
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];

describe('notes to the model', () => {
  const noteOf = (messages: readonly { readonly parts: readonly unknown[] }[] | undefined) =>
    JSON.stringify(messages?.at(-1)?.parts);

  it('list an undo in the next request, in a copy of the message', async () => {
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

  it('list a cancel and the effects that it left behind', async () => {
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

  it('tell of a cancelled turn without effects, whose message has no answer', async () => {
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

  it('are absent for a failed turn without effects, which the user may want to be answered', async () => {
    await using f = fixture([fail('auth'), say('Hello.')]);
    expect(await rejection(f.session.send('Question?'))).toMatchObject({ code: 'auth' });
    await f.session.send('And now?');
    expect(f.provider.requests.at(-1)?.messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'And now?' }]);
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

  it('of a retried turn list effects that are still there, though its messages are gone', async () => {
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
