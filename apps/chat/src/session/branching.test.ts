import { createAgentSession, defineDomain, defineTool, type LocalAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { createBranching } from './branching.js';
import { createCues } from './cues.js';

/**
 * A list of words that an agent adds to. The word "stubborn" cannot be removed; "published" is irreversible.
 */
function wordsDomain() {
  const words: string[] = [];
  let revision = 0;
  const add = defineTool({
    name: 'add',
    description: 'Adds a word.',
    parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    execute({ word }, { undo, irreversible }) {
      words.push(word);
      revision++;
      if (word === 'published') return irreversible(`Added ${word}`);
      undo({
        description: `Added ${word}`,
        revert: () => {
          if (word === 'stubborn') throw new Error('It does not go away.');
          words.splice(words.lastIndexOf(word), 1);
          revision++;
        },
        reapply: () => {
          words.push(word);
          revision++;
        },
      });
    },
  });
  return { words, domain: defineDomain({ id: 'words', tools: [add], revision: () => revision }) };
}

/** A chat whose agent adds these words, one a turn. */
function chatOf(...added: readonly string[]) {
  const { words, domain } = wordsDomain();
  const provider = scriptedProvider(
    added.flatMap((word) => [callTools({ tool: 'words.add', args: { word } }), say('Done.')]),
  );
  const session: LocalAgentSession = createAgentSession({ provider, domains: [domain] });
  const cues = createCues();
  return { words, session, cues, branching: createBranching({ session: signal(session), cues }) };
}

const settled = (session: LocalAgentSession) =>
  vi.waitUntil(() => !session.isRunning.peek(), { timeout: 30_000 });

test('an edited message replaces the old message, and after a switch the notice says what the board lacks', async () => {
  const { words, session, cues, branching } = chatOf('one', 'two');
  await session.send('First');
  branching.beginEdit(session.turns.peek()[0]!);
  expect(branching.edited.peek()?.text).toBe('First');
  expect(branching.editHint.peek()).toBe('Saving takes back 1 change on the board.');
  branching.writeEdit('  Second ');
  branching.saveEdit();
  await settled(session);
  expect(session.turns.peek()).toHaveLength(1);
  expect(words).toEqual(['two']);
  expect(branching.edited.peek()).toBe(null);
  expect(branching.notice.peek()).toBe(null);

  branching.switchTo(session.headTurnId.peek()!, 'previous');
  await vi.waitUntil(() => cues.spoken.peek() !== '', { timeout: 30_000 });
  expect(cues.spoken.peek()).toBe('Version 1 of 2');
  // The version came back unchanged.
  expect(branching.edited.peek()).toBe(null);
  expect(branching.notice.peek()).toMatchObject({
    kind: 'staying',
    title: 'The board still shows attempt 2',
  });
  branching.notice.peek()!.actions[0]!.run();
  await vi.waitUntil(() => words.join() === 'one', { timeout: 30_000 });
  await settled(session);
  expect(branching.notice.peek()).toBe(null);
  await session.dispose();
});

test('a dismissed notice comes back when other changes stay', async () => {
  const { session, branching } = chatOf('one', 'two', 'three');
  await session.send('First');
  await session.regenerate({ effects: 'keep' });
  expect(branching.notice.peek()?.title).toBe('The board has 1 change of another version.');
  branching.notice.peek()!.leave();
  expect(branching.notice.peek()).toBe(null);
  await session.regenerate({ effects: 'keep' });
  expect(branching.notice.peek()?.title).toBe('The board has 2 changes of another version.');
  await session.dispose();
});

test('a command with effects in its way asks, keeps the edited text, and continues as the user decides', async () => {
  const { words, session, branching } = chatOf('published', 'two', 'three');
  await session.send('First');
  await session.send('Second');
  branching.beginEdit(session.turns.peek()[0]!);
  expect(branching.editHint.peek()).toContain('1 of them cannot be taken back.');
  branching.writeEdit('Other');
  branching.saveEdit();
  await vi.waitUntil(() => branching.notice.peek() !== null, { timeout: 30_000 });
  const { kind, groups, actions, leave } = branching.notice.peek()!;
  expect(kind).toBe('question');
  expect(groups).toEqual([
    { kind: 'in-effect', heading: 'Cannot be taken back', lines: [{ text: 'Added published' }] },
  ]);
  expect(actions.map(({ label }) => label)).toEqual(['Keep them and go on', 'Go on anyway']);
  expect(branching.edited.peek()?.text).toBe('Other');
  leave();
  expect(branching.notice.peek()).toBe(null);

  actions[1]!.run();
  await vi.waitUntil(() => session.turns.peek().length === 1, { timeout: 30_000 });
  await settled(session);
  expect(words).toEqual(['published', 'three']);
  expect(branching.notice.peek()).toMatchObject({ kind: 'staying', actions: [] });
  await session.dispose();
});

test('a command that was rolled back is shown with its reasons, and can be repeated without undoing effects', async () => {
  const { words, session, branching } = chatOf('stubborn', 'two');
  await session.send('First');
  branching.regenerate(session.headTurnId.peek()!);
  await vi.waitUntil(() => branching.notice.peek() !== null, { timeout: 30_000 });
  const { kind, groups, actions } = branching.notice.peek()!;
  expect(kind).toBe('problem');
  expect(groups[0]).toMatchObject({
    heading: 'Could not be taken back',
    lines: [{ text: 'Added stubborn' }],
  });
  expect(words).toEqual(['stubborn']);
  actions[0]!.run();
  await vi.waitUntil(() => words.length === 2, { timeout: 30_000 });
  await settled(session);
  expect(session.turns.peek()).toHaveLength(1);
  await session.dispose();
});

test('while the agent works, messages cannot be edited from the composer, saved or switched', async () => {
  const { session, branching } = chatOf('one', 'two');
  await session.send('First');
  const turn = session.send('Second');
  expect(branching.editLast()).toBe(false);
  branching.beginEdit(session.turns.peek()[0]!);
  branching.saveEdit();
  expect(branching.editHint.peek()).toContain('The agent works.');
  expect(branching.canSaveEdit.peek()).toBe(false);
  expect(branching.notice.peek()).toBe(null);
  await turn;
  expect(session.turns.peek()).toHaveLength(2);
  await session.dispose();
});
