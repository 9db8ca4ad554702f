// A path as a Markdown document.
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import {
  confirmTools,
  defineDomain,
  defineTool,
  SAVED_VERSION,
  success,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import { toMarkdown } from '@banister/session/export';
import { callTools, fail, finishWith, gate, say, settle, stall } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { withCards } from './branched.js';
import { fixture, rejection } from './fixture.js';

const png = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };

/** The block at the level of the document that begins with these words, with the blocks behind it. */
const from = (document: string, words: string) => document.slice(document.indexOf(words));

/** A session with one tool, `lab.run`. */
const lab = (execute: () => never | ReturnType<typeof success>) =>
  defineDomain({
    id: 'lab',
    tools: [defineTool({ name: 'run', description: 'Runs.', parameters: { type: 'object' }, execute })],
  });

describe('toMarkdown', () => {
  it('AK-V8 writes the messages, calls and effects of each turn in order', async () => {
    const { f } = await withCards(['Plan', 'Test']);
    await using _f = f;
    expect(toMarkdown(f.session.state, { title: 'My board', date: '12. May' })).toBe(
      [
        '# My board',
        'Date: 12. May',
        '## User',
        '> Add Plan',
        '## Assistant',
        '- Tool `board.add`: success\n  - Arguments: `{"title":"Plan"}`\n  - Result: `{"card":0}`',
        '> Added Plan.',
        'Effects:',
        '- In effect: Added Plan',
        '## User',
        '> Add Test',
        '## Assistant',
        '- Tool `board.add`: success\n  - Arguments: `{"title":"Test"}`\n  - Result: `{"card":1}`',
        '> Added Test.',
        'Effects:',
        '- In effect: Added Test\n',
      ].join('\n\n'),
    );
  });

  it('gives the same document for a session and for its saved form', async () => {
    const { f } = await withCards(['Plan']);
    await using _f = f;
    const saved = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    expect(toMarkdown(saved)).toBe(toMarkdown(f.session.state));
  });

  it('refuses the session object, and says to pass its state', async () => {
    await using f = fixture([]);
    expect(() => toMarkdown(f.session as unknown as SessionState)).toThrow(
      expect.objectContaining({
        code: 'invalid-configuration',
        message: 'toMarkdown takes session.state',
      }),
    );
  });

  it('writes only the path: a replaced attempt is left out', async () => {
    await using f = fixture([fail('auth'), say('Done.')]);
    await rejection(f.session.send('Go'));
    await f.session.retry();
    expect(toMarkdown(f.session.state)).toBe(
      '# Conversation\n\n## User\n\n> Go\n\n## Assistant\n\n> Done.\n',
    );
  });

  it('the messages before the first turn are in it', async () => {
    const call = { type: 'tool-call', id: 'c1', tool: 'board.add', argumentsText: '{"title":"A"}' } as const;
    const { session } = fixture([], {
      conversation: {
        version: SAVED_VERSION,
        sequence: 0,
        head: null,
        prefix: [
          { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Add A' }] },
          { id: 'm2', role: 'assistant', parts: [{ ...call, arguments: { title: 'A' } }] },
          {
            id: 'm3',
            role: 'user',
            parts: [
              {
                type: 'tool-result',
                callId: 'c1',
                outcome: 'failed',
                content: [{ type: 'text', text: 'No.' }],
              },
            ],
          },
          { id: 'm4', role: 'assistant', parts: [{ type: 'text', text: 'It failed.' }] },
        ],
        turns: [],
        marks: [],
        redo: [],
      },
    });
    expect(from(toMarkdown(session.state), '## User')).toBe(
      '## User\n\n> Add A\n\n## Assistant\n\n' +
        '- Tool `board.add`: failed\n  - Arguments: `{"title":"A"}`\n  - Result: `No.`\n\n> It failed.\n',
    );
  });

  it('thinking is shown only when it is asked for', async () => {
    await using f = fixture([say('Four.', { thinking: 'Two and\ntwo.' })]);
    await f.session.send('2 + 2?');
    expect(toMarkdown(f.session.state)).not.toContain('two');
    expect(toMarkdown(f.session.state, { thinking: true })).toContain(
      'Thinking:\n\n> Two and\n> two.\n\n> Four.',
    );
  });

  it('embeds images, of messages and of results, or names them', async () => {
    await using f = fixture([callTools({ tool: 'lab.run', args: {} }), say('A dot.')], {
      domains: [lab(() => success({ type: 'image', ...png }))],
    });
    await f.session.send({ text: 'What is this?', images: [png] });
    const image = '![Image](data:image/png;base64,iVBORw0KGgo=)';
    const document = toMarkdown(f.session.state);
    expect(document).toContain(`> What is this?\n\n${image}\n`);
    expect(document).toContain(`- Tool \`lab.run\`: success\n  - Result: ${image}\n`);
    expect(
      new MarkdownIt().render(document).match(/<img src="data:image\/png;base64,iVBORw0KGgo="/g),
    ).toHaveLength(2);
    const named = toMarkdown(f.session.state, { images: 'named' });
    expect(named).toContain('> What is this?\n\nImage: image/png, 8 B\n');
    expect(named).not.toContain('data:');
  });

  it('only names an image if its type or data cannot be in a data URL', async () => {
    // An earlier release kept the images of tools as they were.
    const given = [
      ['image/one', 'image/png) [x](https://evil.example'],
      ['AAAA', 'AAAA)\n\n# Owned'],
    ] as const;
    const images = [
      { ...png, mediaType: given[0][0] },
      { ...png, data: given[1][0] },
    ];
    await using f = fixture([callTools({ tool: 'lab.run', args: {} }), say('Two dots.')], {
      domains: [lab(() => success(...images.map((image) => ({ type: 'image', ...image }) as const)))],
    });
    await f.session.send('Look');
    const kept = given.reduce(
      (text, [now, then]) => text.replaceAll(JSON.stringify(now), JSON.stringify(then)),
      JSON.stringify(f.session.state),
    );
    expect(toMarkdown(JSON.parse(kept) as SessionState)).toContain(
      '  - Result: Image: image/png) \\[x\\](https://evil.example, 8 B\n  - Result: Image: image/png, 11 B\n',
    );
  });

  it('shows long and multi-line arguments and results as blocks of code', async () => {
    const log = 'line 1\n\n```\nline 3\n```';
    await using f = fixture([callTools({ tool: 'lab.run', args: { text: 'x'.repeat(120) } }), say('Ran.')], {
      domains: [lab(() => success(log))],
    });
    await f.session.send('Run');
    const [, list] = new MarkdownIt()
      .parse(toMarkdown(f.session.state), {})
      .filter(({ type }) => type === 'fence')
      .map(({ content }) => content);
    expect(list).toBe(`${log}\n`);
    expect(toMarkdown(f.session.state)).toContain(
      `  - Arguments:\n    \`\`\`json\n    {\n      "text": "${'x'.repeat(120)}"\n    }\n    \`\`\`\n`,
    );
  });

  it("shows edited arguments beside the model's arguments", async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Add');
    await settle();
    await f.session.pendingConfirmation.value!.approve({ arguments: { title: 'B' } });
    await turn;
    expect(toMarkdown(f.session.state)).toContain(
      '  - Arguments: `{"title":"A"}`\n  - Ran with: `{"title":"B"}`\n',
    );
  });

  it('names the reason why a call did not run', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Fine.')], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Add');
    await settle();
    expect(toMarkdown(f.session.state)).toContain('- Tool `board.add`: not decided\n');
    expect(toMarkdown(f.session.state)).toMatch(/\n\nThe turn had not ended\.\n$/);
    await f.session.pendingConfirmation.value!.deny('Not now');
    await turn;
    expect(toMarkdown(f.session.state)).toContain('- Tool `board.add`: did not run (declined)\n');
  });

  it('shows a steering message at the place where it joined', async () => {
    const open = gate();
    await using f = fixture([callTools({ tool: 'lab.wait', args: {} }), say('Done in blue.')], {
      domains: [
        defineDomain({
          id: 'lab',
          tools: [
            defineTool({
              name: 'wait',
              description: 'Waits.',
              capabilities: ['readOnly'],
              parameters: { type: 'object' },
              execute: () => open.pass(),
            }),
          ],
        }),
      ],
    });
    const turn = f.session.send('Paint');
    await settle();
    const steered = f.session.steer('In blue');
    await settle();
    open.open();
    await Promise.all([turn, steered]);
    expect(from(toMarkdown(f.session.state), '## User')).toBe(
      '## User\n\n> Paint\n\n## Assistant\n\n- Tool `lab.wait`: success\n\n' +
        '## User, while the turn ran\n\n> In blue\n\n## Assistant\n\n> Done in blue.\n',
    );
  });

  it('notes turns that were cancelled, that failed, and that stopped', async () => {
    await using f = fixture([stall('Half'), fail('auth'), finishWith('length', 'Cut')]);
    const cancelled = rejection(f.session.send('One'));
    await settle();
    await f.session.cancel();
    await cancelled;
    await rejection(f.session.send('Two'));
    await f.session.send('Three');
    const document = toMarkdown(f.session.state);
    const { error } = f.session.state.turns[1]!.outcome!;
    expect(document).toContain('> Half\n\nThe turn was cancelled.\n');
    expect(document).toContain(`> Two\n\nThe turn failed: ${error!.message}\n`);
    expect(document).toMatch(/> Cut\n\nThe turn stopped: \S.*\n/);
  });

  describe('the effects of a turn', () => {
    it('are shown as undone after undo, and as in effect after redo', async () => {
      const { f } = await withCards(['Plan']);
      await using _f = f;
      await f.session.undo();
      expect(toMarkdown(f.session.state)).toContain('Effects:\n\n- Undone: Added Plan\n');
      await f.session.redo();
      expect(toMarkdown(f.session.state)).toContain('Effects:\n\n- In effect: Added Plan\n');
    });

    it('an effect that an undo did not revert is shown with the reason', async () => {
      const { f, board } = await withCards(['Plan']);
      await using _f = f;
      board.rename('Plan', 'My plan');
      await f.session.undo({ force: true });
      expect(toMarkdown(f.session.state)).toContain(
        '- In effect, could not be undone: Added Plan (It was changed in the meantime.)\n',
      );
    });

    it('effects of a cancelled turn are shown as undone', async () => {
      const board = createBoard();
      await using f = fixture([callTools(addCard('A')), stall('Half')], { domains: [board.domain()] });
      const cancelled = rejection(f.session.send('Add A'));
      await settle();
      await f.session.cancel();
      await cancelled;
      expect(toMarkdown(f.session.state)).toContain(
        'The turn was cancelled.\n\nEffects:\n\n- Undone: Added A\n',
      );
    });

    it('irreversible effects are marked as irreversible', async () => {
      const mail = defineTool({
        name: 'send',
        description: 'Sends a mail.',
        parameters: { type: 'object' },
        execute: (_args, context) => context.irreversible('Sent a mail'),
      });
      await using f = fixture([callTools({ tool: 'mail.send', args: {} }), say('Sent.')], {
        domains: [defineDomain({ id: 'mail', tools: [mail] })],
      });
      await f.session.send('Send it');
      expect(toMarkdown(f.session.state)).toContain('- In effect, cannot be undone: Sent a mail\n');
    });
  });
});
