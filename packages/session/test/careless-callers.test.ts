import { describe, expect, it } from 'vitest';
import { callTools, fail, say, scriptedProvider, spyTool } from '@banister/testing';
import {
  createAgentSession,
  denied,
  failed,
  stop,
  UndoHistory,
  type Operation,
  type SavedConversation,
  type ToolContext,
} from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, resultTexts } from './fixture.js';

/** One call of a tool whose code was not checked by TypeScript. */
async function told(execute: (context: ToolContext) => unknown): Promise<string> {
  await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
    domains: [{ id: 'board', tools: [spyTool('work', { execute: (_args, context) => execute(context) })] }],
    history: new UndoHistory(),
  });
  await f.session.send('Go');
  // The saved conversation can be opened.
  await using _again = fixture([], { conversation: JSON.parse(JSON.stringify(f.session.save())) });
  return resultTexts(f.provider.requests[1]!)[0] ?? '';
}

describe('C26: a tool that forgets a required text', () => {
  const without = { stop, failed, denied } as unknown as Record<string, () => unknown>;

  it.each(['stop', 'failed', 'denied'])('C26: %s() without a text is a clear error', async (name) => {
    expect(await told(() => without[name]!())).toMatch(new RegExp(`${name}\\(.*\\) needs a text`));
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['no description', { revert: () => {} }],
    ['no revert', { description: 'Added a card' }],
    ['a reapply that is no function', { description: 'Added a card', revert: () => {}, reapply: true }],
  ])('C26: context.undo with %s is a clear error', async (_name, entry) => {
    expect(await told((context) => context.undo(entry as never))).toMatch(/context\.undo needs/);
  });

  it('C26: context.irreversible without a text is a clear error', async () => {
    expect(await told((context) => context.irreversible(undefined as never))).toMatch(
      /context\.irreversible needs a text/,
    );
  });
});

describe('C26: a domain', () => {
  it.each(['__proto__', 'constructor', 'toString'])('C26: cannot have the name %s', (id) => {
    const tools = [spyTool('work')];
    expect(() => createAgentSession({ provider: scriptedProvider([]), domains: [{ id, tools }] })).toThrow(
      `The domain id "${id}" is reserved.`,
    );
  });

  it('C26: a tool that is changed or swapped after the session was created works as before', async () => {
    const tool = spyTool('work', { execute: () => 'as before' });
    const parameters = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
    };
    const tools = [{ ...tool, parameters }];
    await using f = fixture([callTools({ tool: 'board.work', args: { title: 'A' } }), say('Done.')], {
      domains: [{ id: 'board', tools }],
    });
    Object.assign(tools[0]!, { execute: () => 'changed', name: 'other', timeoutMs: -1 });
    parameters.required = ['title', 'colour'];
    tools[0] = spyTool('swapped') as never;
    await f.session.send('Go');
    expect(f.provider.requests[0]!.tools).toMatchObject([
      { name: 'board.work', parameters: { required: ['title'] } },
    ]);
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['as before']);
  });

  it('C26: a tool that is an instance of a class keeps its own fields', async () => {
    class Counter {
      readonly name = 'count';
      readonly description = 'Counts.';
      readonly parameters = { type: 'object' };
      private total = 41;
      execute() {
        return ++this.total;
      }
    }
    await using f = fixture([callTools({ tool: 'board.count' }), say('Done.')], {
      domains: [{ id: 'board', tools: [new Counter()] }],
    });
    await f.session.send('Go');
    expect(f.session.conversation.value.messages[2]?.parts[0]).toMatchObject({ content: [{ value: 42 }] });
  });

  it('C26: a tool whose schema is not JSON is refused', () => {
    const parameters = { type: 'object', default: 1n };
    const tools = [{ ...spyTool('work'), parameters }];
    expect(() =>
      createAgentSession({ provider: scriptedProvider([]), domains: [{ id: 'board', tools }] }),
    ).toThrow('The tool "board.work": parameters: its field default is a bigint.');
  });
});

describe('C26: a saved conversation whose last turn lists only some of its messages', () => {
  async function failedTurn(): Promise<SavedConversation> {
    await using f = fixture([say('Hello.'), callTools(addCard('A'), addCard('B')), fail('auth')], {
      domains: [createBoard().domain()],
    });
    await f.session.send('Hi');
    await rejection(f.session.send('Go'));
    return JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
  }

  it.each([0, 1, 2])('C26: is refused if message %i is missing', async (missing) => {
    const saved = await failedTurn();
    const messages = saved.turns[1]!.messages as unknown[];
    expect(messages).toHaveLength(3);
    messages.splice(missing, 1);
    expect(() => createAgentSession({ provider: scriptedProvider([]), conversation: saved })).toThrow(
      /turns\[1\]\.messages\[/,
    );
  });

  it('C26: can be retried if the list is complete', async () => {
    await using f = fixture([say('Again.')], { conversation: await failedTurn() });
    await f.session.retry();
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Hi',
      'assistant: Hello.',
      'user: Go',
      'assistant: Again.',
    ]);
  });
});

describe('C26: a log', () => {
  it('C26: a log that starts in the middle of a turn folds without an error', async () => {
    await using f = fixture(
      [
        callTools({ type: 'thinking', delta: 'Hm' }, 'Text. ', addCard('A'), { tool: 'board.nowhere' }),
        say('Done.', { usage: { inputTokens: 1 } }),
        say('Next.'),
      ],
      { domains: [createBoard().domain()], history: new UndoHistory() },
    );
    await f.session.send('Go');
    await f.session.send('On');
    await f.session.undo();
    const log: readonly Operation[] = f.observed.operations;
    for (let start = 1; start < log.length; start++) {
      const state = log.slice(start).reduce(apply, initialState());
      expect(state.isRunning).toBe(false);
      expect(state.liveTurn).toBe(null);
    }
    const second = log.findIndex((operation) => operation.type === 'completed') + 1;
    const late = log.slice(second - 3).reduce(apply, initialState());
    expect(late.turns.map((turn) => turn.id)).toEqual([f.session.turns.value[1]!.id]);
  });
});
