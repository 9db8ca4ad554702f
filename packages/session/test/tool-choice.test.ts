// Tool choice.
import { describe, expect, it } from 'vitest';
import {
  type AnswerSource,
  callInside,
  callTools,
  checkOrder,
  fail,
  finishWith,
  say,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import {
  createAgentSession,
  createMirror,
  denyTools,
  stop,
  type SavedConversation,
  type SendOptions,
  type ToolChoice,
} from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, outline, rejection, terminals, type Fixture } from './fixture.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

const list = { tool: 'board.list', args: {} };
const one: ToolChoice = { tool: 'board.add' };
const forced = [['required'], [one]] as const;
const choices = ({ provider }: Pick<Fixture, 'provider'>) =>
  provider.requests.map(({ toolChoice }) => toolChoice);
const types = (f: Fixture) => f.observed.operations.map(({ type }) => type);

describe('the tool choice of a turn', () => {
  it('AK-X1 `auto` is the default, and adds nothing to a request', async () => {
    await using f = fixture([say('One.'), say('Two.')], { domains: [createBoard().domain()] });
    await f.session.send('Go');
    await f.session.send('Go', { toolChoice: 'auto' });
    expect(f.provider.requests.every((request) => !('toolChoice' in request))).toBe(true);
    expect(f.session.state.turns.map(({ options }) => options)).toEqual([undefined, undefined]);
  });

  it.each(forced)('AK-X2 OP-55 applies to the first round: %j', async (toolChoice) => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), callTools(list), say('Done.')], {
      domains: [board.domain()],
    });
    await f.session.send('Go', { toolChoice });
    expect(choices(f)).toEqual([toolChoice, undefined, undefined]);
    expect(board.titles).toEqual(['A']);
  });

  it('applies to all rounds if it is `none`, even after a steering message', async () => {
    await using f = fixture([say('One.'), say('Two.')], { domains: [createBoard().domain()] });
    const turn = f.session.send('Go', { toolChoice: 'none' });
    const steered = f.session.steer('And this');
    expect(await turn).toMatchObject({ rounds: 2 });
    expect(await steered).toBe('joined');
    expect(choices(f)).toEqual(['none', 'none']);
    expect(f.provider.requests[1]!.tools).toHaveLength(3);
  });

  it('a repeated attempt has the same choice', async () => {
    await using f = fixture([fail('overloaded'), callTools(list), say('Done.')], {
      domains: [createBoard().domain()],
    });
    const turn = f.session.send('Go', { toolChoice: 'required' });
    await f.clock.advance(2_000);
    await turn;
    expect(choices(f)).toEqual(['required', 'required', undefined]);
  });

  it('AK-G13 is satisfied by a denied call, and by a call that cannot run', async () => {
    await using f = fixture(
      [
        callTools(addCard('A')),
        say('Denied.'),
        callTools({ tool: 'board.add', args: { title: 1 } }),
        say('Wrong.'),
      ],
      { domains: [createBoard().domain()], guards: [denyTools('board.add')] },
    );
    expect(await f.session.send('Go', { toolChoice: 'required' })).toMatchObject({ status: 'completed' });
    expect(await f.session.send('Go', { toolChoice: one })).toMatchObject({ status: 'completed' });
  });

  it('a cut or refused answer stops the turn', async () => {
    await using f = fixture([finishWith('length', 'Half'), finishWith('refusal', 'No.')], {
      domains: [createBoard().domain()],
    });
    expect(await f.session.send('Go', { toolChoice: 'required' })).toMatchObject({
      stop: { kind: 'length' },
    });
    expect(await f.session.send('Go', { toolChoice: one })).toMatchObject({ stop: { kind: 'refusal' } });
  });
});

describe('an answer that ignores the tool choice', () => {
  const violations: readonly (readonly [string, ToolChoice, AnswerSource, readonly string[]])[] = [
    ['required, and none called', 'required', say('No.'), []],
    ['required, and nothing at all', 'required', finishWith('stop'), []],
    ['none, and one called', 'none', callTools('I add. ', addCard('A')), ['board.add']],
    [
      'none, and one called where the answer says stop',
      'none',
      finishWith('stop', 'Hm.', callInside(addCard('A'))),
      ['board.add'],
    ],
    ['one tool, and none called', one, say('No.'), []],
    ['one tool, and another called', one, callTools(list), ['board.list']],
    [
      'one tool, and another called beside it',
      one,
      callTools(addCard('A'), list),
      ['board.add', 'board.list'],
    ],
  ];

  it.each(violations)(
    'AK-X3 AK-X4 AK-E9 fails the turn, and none of its calls runs: %s',
    async (_name, toolChoice, answer, called) => {
      const board = createBoard();
      await using f = fixture([say('Hello.'), answer, say('Again.')], { domains: [board.domain()] });
      await f.session.send('Hi');
      const error = await rejection(f.session.send('Go', { toolChoice }));
      expect(error).toMatchObject({ code: 'tool-choice-not-honored', retry: 'now' });
      expect(error.details).toEqual({ requested: toolChoice, called });
      expect(board.titles).toEqual([]);
      expect(types(f)).not.toContain('toolStarted');
      expect(types(f)).not.toContain('toolsRequested');
      expect(terminals(f)).toEqual(['completed', 'failed']);
      // The user message stays last, without an answer.
      expect(outline(f.session.conversation.value.messages)).toEqual([
        'user: Hi',
        'assistant: Hello.',
        'user: Go',
      ]);
      await f.session.send('Go on');
    },
  );

  it('AK-X6 a call inside an answer is judged before it runs', async () => {
    const board = createBoard();
    const answer = finishWith('stop', callInside(addCard('A')), callInside(list), callInside(addCard('B')));
    await using f = fixture([answer], { domains: [board.domain()] });
    const error = await rejection(f.session.send('Go', { toolChoice: one }));
    expect(error).toMatchObject({ code: 'tool-choice-not-honored', details: { called: ['board.list'] } });
    // The effect of the call before it is taken back with the turn.
    expect(f.session.state.turns[0]?.outcome?.report?.done).toHaveLength(1);
    expect(board.titles).toEqual([]);
    expect(f.provider.streams[0]!.closed).toBe(true);
  });

  it('does not count as ignoring if a tool that was called inside it stopped the turn', async () => {
    const last = {
      name: 'last',
      description: 'Stops.',
      parameters: { type: 'object' },
      execute: () => stop('Enough.'),
    };
    await using f = fixture([finishWith('stop', callInside({ tool: 'board.last', args: {} }), 'More.')], {
      domains: [{ id: 'board', tools: [last] }],
    });
    const result = await f.session.send('Go', { toolChoice: { tool: 'board.last' } });
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'tool', message: 'Enough.' } });
  });

  it('is requested again only by a command', async () => {
    await using f = fixture([finishWith('stop'), callTools(list), say('Done.')], {
      domains: [createBoard().domain()],
    });
    await rejection(f.session.send('Go', { toolChoice: 'required' }));
    expect(f.provider.requests).toHaveLength(1);
    expect(await f.session.retry()).toMatchObject({ status: 'completed' });
    expect(choices(f)).toEqual(['required', 'required', undefined]);
  });
});

describe('a tool choice that cannot be', () => {
  const refused = async (toolChoice: ToolChoice, options: Parameters<typeof fixture>[1] = {}) => {
    await using f = fixture([], options);
    const before = f.session.state;
    const errors = [
      await rejection(f.session.send('Go', { toolChoice })),
      await rejection(f.session.enqueue('Go', { toolChoice })),
    ];
    expect(f.session.state).toBe(before);
    expect(f.observed.operations).toEqual([]);
    const [code, ...others] = errors.map((error) => error.code);
    expect(others).toEqual([code]);
    return code;
  };
  const domains = [createBoard().domain()];

  it.each([['required'], ['none'], [one]] as const)(
    'AK-X5 AK-E8 AK-F6 is refused as unsupported before anything happens: %j',
    async (toolChoice) => {
      const others = (['required', 'none', 'tool'] as const).filter(
        (kind) => kind !== (typeof toolChoice === 'string' ? toolChoice : 'tool'),
      );
      expect(await refused(toolChoice, { domains, scripted: { toolChoices: others } })).toBe('unsupported');
    },
  );

  it('AK-B2 a provider that declares no choices accepts no choice but `auto`', async () => {
    const { capabilities: _capabilities, ...provider } = scriptedProvider([]);
    const session = createAgentSession({
      provider: { ...provider, capabilities: { images: false } },
      domains,
    });
    expect((await rejection(session.send('Go', { toolChoice: 'none' }))).code).toBe('unsupported');
    await session.dispose();
  });

  it('AK-F6 a tool that is not registered is `invalid-configuration`', async () => {
    await using f = fixture([], { domains });
    const missing = await rejection(f.session.send('Go', { toolChoice: { tool: 'board.fly' } }));
    expect(missing.message).toBe('There is no tool "board.fly". Tools: board.add, board.drop, board.list.');
    expect(await refused({ tool: 'board.fly' }, { domains })).toBe('invalid-configuration');
    expect(await refused('required')).toBe('invalid-configuration');
    expect(await refused(null as unknown as ToolChoice, { domains })).toBe('invalid-configuration');
    expect(await refused({} as unknown as ToolChoice, { domains })).toBe('invalid-configuration');
  });

  it('is `invalid-configuration` if it is unknown, and the message names the four choices', async () => {
    await using f = fixture([], { domains });
    const choice = 'any' as unknown as ToolChoice;
    expect((await rejection(f.session.send('Go', { toolChoice: choice }))).message).toBe(
      'The options of a turn: toolChoice: it is "any", none of "auto", "required", "none", "{ tool }".',
    );
    expect(await refused(choice, { domains })).toBe('invalid-configuration');
    expect(await refused({ tool: '' }, { domains })).toBe('invalid-configuration');
  });

  it('makes `regenerate` and `edit` of its turn fail before anything changes, if the new provider does not support it', async () => {
    await using f = fixture([callTools(list), say('Done.')], { domains });
    await f.session.send('Go', { toolChoice: 'required' });
    const { turns, sequence } = f.session.state;
    f.session.configure({ provider: scriptedProvider([], { toolChoices: [] }) });
    expect((await rejection(f.session.regenerate())).code).toBe('unsupported');
    expect((await rejection(f.session.edit(turns[0]!.id, 'Other'))).code).toBe('unsupported');
    expect(f.session.state.turns).toBe(turns);
    expect(f.session.state.sequence).toBe(sequence + 1);
  });
});

describe('the record of a tool choice', () => {
  const answers = () => [callTools(list), say('Done.')];

  it('is in the turn, and regenerate, edit and the queue use it', async () => {
    await using f = fixture([...answers(), ...answers(), ...answers(), say('Yes.')], {
      domains: [createBoard().domain()],
    });
    const given = { tool: 'board.list' };
    await f.session.send('Go', { toolChoice: given, limits: { maxRounds: 5 } });
    given.tool = 'changed';
    const { options, id } = f.session.state.turns[0]!;
    expect(options).toEqual({ toolChoice: { tool: 'board.list' }, limits: { maxRounds: 5 } });
    await f.session.regenerate();
    await f.session.edit(id, 'Other');
    const running = f.session.send('Wait', { toolChoice: 'none' });
    const queued = f.session.enqueue('Next', { toolChoice: 'required', id: 'next' });
    expect(f.session.queue.value).toEqual([
      { id: 'next', input: 'Next', steering: false, options: { toolChoice: 'required' } },
    ]);
    await running;
    await f.session.dequeue('next');
    expect(await queued).toBe('cancelled');
    const first = f.provider.requests
      .map(({ toolChoice }) => toolChoice)
      .filter((choice) => choice !== undefined);
    expect(first).toEqual([{ tool: 'board.list' }, { tool: 'board.list' }, { tool: 'board.list' }, 'none']);
  });

  it('is the choice of a turn that waited in the queue', async () => {
    await using f = fixture([say('One.'), ...answers()], { domains: [createBoard().domain()] });
    const first = f.session.send('Go');
    const second = f.session.enqueue('Next', { toolChoice: 'required' });
    await first;
    await f.clock.advance(10);
    expect(await second).toBe('completed');
    expect(choices(f)).toEqual([undefined, 'required', undefined]);
  });

  it('is saved, and a retry after a reload uses it', async () => {
    await using f = fixture([say('No.')], { domains: [createBoard().domain()] });
    await rejection(f.session.send('Go', { toolChoice: one }));
    const saved = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using again = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
      conversation: saved,
    });
    await again.session.retry();
    expect(choices(again)).toEqual([one, undefined]);
    const text = JSON.stringify(saved).replace('"toolChoice":{"tool":"board.add"}', '"toolChoice":"every"');
    const conversation = JSON.parse(text) as SavedConversation;
    const other = createAgentSession({ provider: scriptedProvider([]), conversation });
    expect((await rejection(other.retry())).code).toBe('invalid-configuration');
    await other.dispose();
  });

  it('the log, the fold and a mirror have it', async () => {
    await using f = fixture(answers(), { domains: [createBoard().domain()] });
    await f.session.send('Go', { toolChoice: { tool: 'board.list' } });
    const stored = recordsOf([f.observed.operations]).flatMap(({ operations }) => operations);
    const folded = fold(initialState(), stored);
    const mirror = createMirror(initialState());
    mirror.fold(stored);
    for (const { turns } of [folded, mirror.state])
      expect(turns[0]?.options).toEqual({ toolChoice: { tool: 'board.list' } });
    expect(checkOrder(stored)).toEqual([]);
  });
});

describe('a turn with a tool choice that was interrupted', () => {
  /** Leaves a turn in its first answer, and opens its log again. */
  async function reopened(
    options: SendOptions,
    then: readonly AnswerSource[],
    { toolChoices, domains }: { toolChoices?: readonly []; domains?: readonly [] } = {},
  ) {
    const board = dataBoard();
    const first = createSession([stall('Half')], { domains: [board.domain()] });
    const turn = codeOf(first.session.send('Go', options));
    await settle();
    const records = recordsOf([first.operations]);
    await first.session.dispose({ turn: 'leave' });
    expect(await turn).toBe('disposed');
    const provider = scriptedProvider(then, { toolChoices });
    const again = createSession([], {
      domains: domains ?? [board.domain()],
      restored: { snapshot: null, records },
      provider,
    });
    await opened(again.session);
    return { ...again, provider, board };
  }

  it('still has the choice', async () => {
    const { session, provider, board } = await reopened({ toolChoice: one }, [
      callTools(addCard('A')),
      say('Done.'),
    ]);
    await session.resume();
    expect(provider.requests.map(({ toolChoice }) => toolChoice)).toEqual([one, undefined]);
    expect(board.cards).toEqual(['A']);
    await session.dispose();
  });

  it('fails if the answer ignores it after the interruption', async () => {
    const { session } = await reopened({ toolChoice: 'required' }, [say('No.')]);
    expect((await rejection(session.resume())).code).toBe('tool-choice-not-honored');
    await session.dispose();
  });

  it.each([['required'], ['none']] as const)(
    'stays interrupted if the model does not support the choice, and can be abandoned: %s',
    async (toolChoice) => {
      const { session, operations } = await reopened({ toolChoice }, [], { toolChoices: [] });
      const before = operations.length;
      expect((await rejection(session.resume())).code).toBe('unsupported');
      expect(operations).toHaveLength(before);
      expect(session.interrupted.value).toMatchObject({ at: 'stream' });
      await session.abandon();
      expect(session.state.turns[0]?.status).toBe('failed');
      await session.dispose();
    },
  );

  it('defines the chosen tool if the app has removed it, and its call is answered', async () => {
    const { session, provider } = await reopened(
      { toolChoice: one },
      [callTools(addCard('A')), say('Gone.')],
      {
        domains: [],
      },
    );
    expect(await session.resume()).toMatchObject({ status: 'completed' });
    expect(provider.requests[0]).toMatchObject({ toolChoice: one, tools: [{ name: 'board.add' }] });
    expect(session.state.turns[0]?.rounds[0]?.parts).toMatchObject([{ rejection: 'unknown-tool' }]);
    await session.dispose();
  });
});

describe('tools that the conversation names', () => {
  const removed = { name: 'board.add', description: '', parameters: { type: 'object', properties: {} } };
  const other = (tool: string) => ({
    id: 'other',
    tools: [{ name: tool, description: 'Another.', parameters: { type: 'object' }, execute: () => 1 }],
  });

  /** Returns the request of a turn after one that called `board.add`, in a session without this tool. */
  async function requestAfter(tools: readonly string[], options: SendOptions) {
    await using f = fixture([callTools(addCard('A'), addCard('B')), say('Done.')], {
      domains: [createBoard().domain()],
    });
    await f.session.send('Go');
    await using again = fixture([say('Yes.')], {
      conversation: f.session.save(),
      domains: tools.map(other),
    });
    await again.session.send('And now?', options);
    return again.provider.requests[0]!;
  }

  it('stay defined if no tool may be called; a removed tool has an empty definition', async () => {
    const request = await requestAfter(['fly'], { toolChoice: 'none' });
    expect(request.tools).toMatchObject([{ name: 'other.fly', description: 'Another.' }, removed]);
    expect(request).toMatchObject({ toolChoice: 'none' });
    expect(Object.isFrozen(request.tools) && request.tools.every(Object.isFrozen)).toBe(true);
  });

  it('stay defined in a session without tools, but are not offered', async () => {
    const request = await requestAfter([], {});
    expect(request.tools).toEqual([removed]);
    expect(request).toMatchObject({ toolChoice: 'none' });
  });

  it('are not added if tools may be called', async () => {
    const request = await requestAfter(['fly'], {});
    expect(request.tools.map(({ name }) => name)).toEqual(['other.fly']);
    expect('toolChoice' in request).toBe(false);
  });
});
