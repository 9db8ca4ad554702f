// The fate of calls that were cut, and of effects, in a Markdown document.
import { describe, expect, it } from 'vitest';
import { failed, SAVED_VERSION, type SavedConversation } from '@banister/session';
import type { MessagePart } from '@banister/provider';
import { toMarkdown } from '@banister/session/export';
import { callTools, gatedTool, say, settle, spyTool } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';
import { left, open } from './left-turn.js';
import { call, createForm, idsOf, sendForReview } from './reviewed.js';

/** A session whose call of `lab.slow` runs. */
async function slowly(sideEffects: 'keep' | 'rollback' = 'rollback') {
  const slow = gatedTool('slow');
  const f = fixture([callTools({ tool: 'lab.slow' })], { domains: [{ id: 'lab', tools: [slow] }] });
  const turn = rejection(f.session.send('Go'));
  const run = await slow.next();
  /** Ends the turn while the call runs. */
  const cut = async () => {
    await f.session.cancel({ immediate: true, sideEffects });
    await turn;
  };
  const shown = () => toMarkdown(f.session.state);
  return { f, run, cut, shown };
}

/** A conversation whose messages before the first turn have these parts. */
const opened = (...messages: readonly (readonly MessagePart[])[]): SavedConversation => ({
  version: SAVED_VERSION,
  sequence: 0,
  head: null,
  prefix: messages.map((parts, index) => ({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts,
  })) as SavedConversation['prefix'],
  turns: [],
  marks: [],
  redo: [],
});

describe('a call in a Markdown document', () => {
  it('a call that was cut is shown as interrupted when its turn has ended', async () => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    expect(shown()).toContain('- Tool `lab.slow`: still running\n');
    await cut();
    expect(shown()).toContain('- Tool `lab.slow`: interrupted, it may have acted\n');
    expect(shown()).not.toContain('still running');
    expect(toMarkdown(f.session.save())).toBe(shown());
    run.settle();
    await settle();
  });

  it.each([
    ['succeeded', undefined],
    ['failed', failed('No.')],
  ] as const)('that ended after its turn: %s', async (outcome, result) => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    await cut();
    run.settle(result);
    await settle();
    expect(shown()).toContain(`- Tool \`lab.slow\`: ${outcome} late\n`);
  });

  it('of a session that was left is shown as interrupted, because it may have acted', async () => {
    const hangs = [{ id: 'lab', tools: [spyTool('hangs', { execute: () => new Promise(() => {}) })] }];
    const log = await left([callTools({ tool: 'lab.hangs' })], { domains: hangs });
    const { session } = await open(log, [], { domains: hangs });
    expect(toMarkdown(session.state)).toContain('- Tool `lab.hangs`: interrupted, it may have acted\n');
    await session.dispose();
  });

  it('arguments that are not JSON are shown as text', async () => {
    const broken = { tool: 'lab.run', argumentsText: '{"title":', arguments: null };
    const conversation = opened(
      [{ type: 'text', text: 'Go' }],
      [{ type: 'tool-call', id: 'c1', ...broken }],
      [{ type: 'tool-result', callId: 'c1', outcome: 'rejected', content: [] }],
    );
    await using f = fixture([], { conversation });
    expect(toMarkdown(f.session.state)).toContain(
      '- Tool `lab.run`: did not run\n  - Arguments: `{"title":`\n',
    );
  });

  it.each([
    [100, '  - Arguments: `{"text":"'],
    [101, '  - Arguments:\n    ```json\n'],
  ])('with arguments of %i characters: at most 100 are shown in a line', async (length, expected) => {
    const text = 'x'.repeat(length - JSON.stringify({ text: '' }).length);
    const run = spyTool('run', { execute: () => 'Ran.' });
    await using f = fixture([callTools({ tool: 'lab.run', args: { text } }), say('Done.')], {
      domains: [{ id: 'lab', tools: [run] }],
    });
    await f.session.send('Go');
    expect(toMarkdown(f.session.state)).toContain(expected);
  });

  it('without arguments shows none', async () => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    await cut();
    run.settle();
    await settle();
    expect(shown()).not.toContain('Arguments');
  });
});

it('a file that a message holds itself is named in a Markdown document, with its size', async () => {
  const file = { type: 'file', name: 'plan.pdf', mediaType: 'application/pdf', data: 'JVBERi0=' } as const;
  await using f = fixture([], { conversation: opened([file]) });
  expect(toMarkdown(f.session.state)).toContain('## User\n\nFile: plan.pdf, application/pdf, 5 B\n');
});

describe('an effect in a Markdown document', () => {
  it('of a call that still runs may be in effect, whether its turn was rolled back or kept its effects', async () => {
    for (const sideEffects of ['rollback', 'keep'] as const) {
      const { f, run, cut, shown } = await slowly(sideEffects);
      await using _ = f;
      run.context.undo({ description: 'Slow work', revert: () => {} });
      await cut();
      expect(shown()).toContain('Effects:\n\n- Perhaps in effect, its call had not ended: Slow work\n');
      run.settle();
      await settle();
    }
  });

  it.each([
    ['has the words of its tool, and is undone', () => {}, '- Undone: Imported 20 cards\n'],
    [
      'could not be undone where its revert failed',
      () => failed('No.'),
      '- In effect, could not be undone: Imported 20 cards\n',
    ],
  ])('of a call that ended late %s', async (_name, revert, expected) => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    await cut();
    expect(shown()).toContain('its call had not ended: lab.slow\n');
    run.context.undo({ description: 'Imported 20 cards', revert });
    run.settle();
    await settle();
    expect(shown()).toContain(`Effects:\n\n${expected}`);
  });

  it('of a call that ended late cannot be undone if the tool recorded no undo', async () => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    await cut();
    run.settle();
    await settle();
    expect(shown()).toContain('Effects:\n\n- In effect, cannot be undone: lab.slow\n');
  });

  it('is not listed for a call that failed late', async () => {
    const { f, run, cut, shown } = await slowly();
    await using _ = f;
    await cut();
    run.throw(new Error('late'));
    await settle();
    expect(shown()).not.toContain('Effects:');
    expect(shown()).not.toContain('lab.slow\n');
  });

  it('is shown as rejected if it was rejected in a review', async () => {
    const form = createForm();
    await using f = fixture([callTools(call('set', 'a', '1'), call('set', 'b', '2')), say('Done.')], {
      domains: [form.domain()],
    });
    const { turn } = await sendForReview(f.session);
    await f.session.reject(idsOf(f.session, 'b: 2'));
    await f.session.accept();
    await turn;
    expect(toMarkdown(f.session.state)).toContain('Effects:\n\n- In effect: a: 1\n- Rejected: b: 2\n');
  });

  it('that is lost after a reload is shown as not undoable, whether its turn was rolled back or committed', async () => {
    const expected = 'Effects:\n\n- In effect, cannot be undone: Added A\n';
    const log = await left(undefined, { domains: [createBoard().domain()] });
    const { session } = await open(log);
    await session.abandon();
    expect(toMarkdown(session.state)).toContain(expected);
    await session.dispose();

    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
    await f.session.send('Add A');
    expect(toMarkdown(f.session.state)).toContain('Effects:\n\n- In effect: Added A\n');
    await using again = fixture([], { conversation: f.session.save(), domains: [createBoard().domain()] });
    expect(again.session.undoEntries.value).toMatchObject([{ lost: true }]);
    expect(toMarkdown(again.session.state)).toContain(expected);
  });
});
