import { createAgentSession, defineAgent, type ChildTurn } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { signal } from '@banister/session/signals';
import { callTools, gate, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createGuideLine } from '../guide/guide-line.js';
import { createComposer } from './composer.js';
import { createCues } from './cues.js';
import { createQueue } from './queue.js';
import { createTelling, fieldFocus, tellFocus, tellWords } from './telling.js';

let end = () => Promise.resolve();
afterEach(() => end());

const waitFor = (isTrue: () => boolean) => vi.waitUntil(isTrue, { timeout: 30_000 });

/** A chat in which the agent Notes writes its first answer until the gate opens. */
async function chatWithNotes() {
  const more = gate();
  const notes = defineAgent({
    id: 'notes',
    title: 'Notes',
    description: 'Writes notes.',
    role: 'You write notes.',
    provider: scriptedProvider([say(['Long', more, ' notes.']), say('Short notes.')]),
  });
  const task = { tool: 'banister.delegate', args: { agent: 'notes', task: 'Write notes.' } };
  const session = createAgentSession({
    provider: scriptedProvider([callTools(task), say('Here they are.')]),
    agents: [notes],
  });
  end = () => session.dispose();
  const current = signal(session);
  const cues = createCues();
  const composer = createComposer(current, cues);
  const guide = createGuideLine(current);
  const queue = createQueue({ session: current, composer, cues });
  const telling = createTelling({ session: current, composer, guide, cues });
  const turn = session.send('Write notes');
  const child = (): ChildTurn | undefined => {
    const record = session.liveTurn.peek() ?? session.turns.peek().at(-1);
    return record && childrenOf(record)[0];
  };
  await waitFor(() => (child()?.rounds.at(-1)?.parts.length ?? 0) > 0);
  const tell = (text: string) => {
    telling.open(child()!);
    telling.write(child()!, text);
    telling.send(child()!);
  };
  const shown = () => telling.textFor(child()!);
  return {
    session,
    composer,
    cues,
    guide,
    queue,
    telling,
    turn,
    more,
    child: child()!,
    latest: child,
    tell,
    shown,
  };
}

test('the field opens with the focus in it, and closes with the focus on its button', async () => {
  const { telling, cues, child, shown } = await chatWithNotes();
  expect(tellWords(child)).toEqual({
    label: 'Tell Notes',
    send: 'Send to Notes',
    close: 'Close the field for Notes',
  });
  expect(shown()).toBe(null);
  telling.open(child);
  expect(shown()).toBe('');
  expect(cues.wish.peek()?.names).toEqual([fieldFocus(child)]);
  telling.write(child, 'shorter');
  telling.open(child);
  expect(shown()).toBe('shorter');
  telling.close(child);
  expect(shown()).toBe(null);
  expect(cues.wish.peek()?.names).toEqual([tellFocus(child)]);
});

test('a message waits in the queue, says for whom it is, and joins the work of its agent', async () => {
  const { session, queue, cues, turn, more, latest, tell, shown } = await chatWithNotes();
  tell('  shorter, for customers ');
  expect(shown()).toBe(null);
  await waitFor(() => queue.messages.peek().length === 1);
  expect(queue.messages.peek()).toMatchObject([
    { text: 'shorter, for customers', isSteering: true, note: 'For Notes, next step' },
  ]);
  expect(cues.spoken.peek()).toBe('For Notes, next step');
  more.open();
  await turn;
  expect(queue.messages.peek()).toEqual([]);
  expect(latest()!.rounds.flatMap(({ parts }) => parts.map(({ type }) => type))).toContain('steering');
  expect(session.turns.peek()[0]!.rounds.flatMap(({ parts }) => parts.map(({ type }) => type))).not.toContain(
    'steering',
  );
});

test('a text without words is not sent, and the field stays open', async () => {
  const { queue, tell, shown } = await chatWithNotes();
  tell('   ');
  expect(shown()).toBe('   ');
  expect(queue.messages.peek()).toEqual([]);
});

test('a message that the user removes from the queue is gone', async () => {
  const { composer, guide, queue, turn, more, tell, shown } = await chatWithNotes();
  tell('shorter');
  await waitFor(() => queue.messages.peek().length === 1);
  queue.remove(queue.messages.peek()[0]!.id);
  await waitFor(() => queue.messages.peek().length === 0);
  more.open();
  await turn;
  expect([shown(), composer.text.peek(), guide.shown.peek()]).toEqual([null, '', null]);
});

const ended = 'Notes ended before it could read your message. The text is in the field below.';

test('if the agent ends before a message could join, the text goes to the message field, and words say so', async () => {
  const { session, composer, guide, turn, child, tell, shown } = await chatWithNotes();
  composer.write('Half written');
  tell('shorter');
  await waitFor(() => session.queue.peek().length === 1);
  await session.cancel({ child: child.id });
  await waitFor(() => guide.shown.peek() !== null);
  expect(guide.shown.peek()).toEqual({ kind: 'answer', text: ended });
  expect(composer.text.peek()).toBe('Half written\nshorter');
  expect(shown()).toBe(null);
  await turn;
  expect(composer.text.peek()).toBe('Half written\nshorter');
});

test('if the turn is stopped, a message that waits and the text of an open field both stay', async () => {
  const { session, composer, guide, telling, turn, child, tell } = await chatWithNotes();
  tell('shorter');
  await waitFor(() => session.queue.peek().length === 1);
  telling.open(child);
  telling.write(child, 'for customers');
  await session.cancel();
  await expect(turn).rejects.toThrow();
  await waitFor(() => composer.text.peek().includes('shorter'));
  expect(composer.text.peek().split('\n').toSorted()).toEqual(['for customers', 'shorter']);
  expect(guide.shown.peek()?.text).toBe(ended);
  expect(session.queue.peek()).toEqual([]);
});

test('an empty field closes without words when its agent ends', async () => {
  const { composer, guide, telling, turn, more, child, shown } = await chatWithNotes();
  telling.open(child);
  more.open();
  await turn;
  await waitFor(() => shown() === null);
  expect([composer.text.peek(), guide.shown.peek()]).toEqual(['', null]);
});
