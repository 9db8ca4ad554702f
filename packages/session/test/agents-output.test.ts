// Child turns with a structured output: the option `output` of a run.
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  callTools,
  checkOrder,
  fail,
  finishWith,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
  type ScriptedProviderOptions,
} from '@banister/testing';
import {
  createAgentSession,
  defineAgent,
  defineTool,
  type Agent,
  type Domain,
  type Middleware,
  type Operation,
  type RunResult,
  type ToolContext,
  type ToolSchema,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { outputOf } from '@banister/session/view';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, rejection, type FixtureOptions } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';
import { opened, recordsOf } from './opened.js';

beforeAll(() => Promise.all([agentsLoaded(), generateLoaded()]));

const schema = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
} as const;

const plan = say('{"title":"Plan"}');
const unfit = say('{"title":7}');

type Run = ToolContext['run'];

/** A session whose only call runs agents with the function `act`. */
function acting(act: (run: Run) => Promise<unknown>, agents: readonly Agent[], more: FixtureOptions = {}) {
  const cards: string[] = [];
  const domain: Domain = {
    id: 'crew',
    tools: [
      defineTool({
        name: 'act',
        description: 'Lets agents work.',
        parameters: { type: 'object' },
        capabilities: ['readOnly'],
        execute: async (_args, { run }) => JSON.stringify((await act(run)) ?? null),
      }),
      defineTool({
        name: 'add',
        description: 'Adds a card.',
        parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        execute({ title }, { undo }) {
          cards.push(title);
          undo({ description: `Added "${title}"`, revert: () => void cards.splice(cards.indexOf(title), 1) });
          return 'added';
        },
      }),
    ],
  };
  const answers = [callTools({ tool: 'crew.act', args: {} }), say('Done.')];
  return { f: fixture(answers, { domains: [domain], agents, ...more }), cards };
}

function agentOf(
  answers: readonly AnswerSource[],
  more: Partial<Agent> = {},
  scripted: ScriptedProviderOptions = {},
) {
  const provider = scriptedProvider(answers, scripted);
  return { agent: defineAgent({ id: 'a', role: 'You are a.', provider, ...more }), provider };
}

/** Runs the agent `a` once, and returns the session, the result, and the cards. */
async function ran<const S extends ToolSchema>(agent: Agent, output: S, more: FixtureOptions = {}) {
  let result: RunResult<S> | undefined;
  const { f, cards } = acting(async (run) => void (result = await run('a', 'Go', { output })), [agent], more);
  await f.session.send('Go');
  const [child] = childrenOf(f.session.state.turns[0]!);
  return { f, result: result!, child: child!, cards };
}

const addCard = callTools({ tool: 'crew.add', args: { title: 'A' } });
const structured = { structuredOutput: true };
const leavesOf = (operations: readonly Operation[]) =>
  operations.flatMap((one) => (one.type === 'subagent' ? [one.inner] : []));

describe('the output of a run', () => {
  it.each([
    ['in the mode of the provider', true, plan],
    ['with a forced tool', false, callTools({ tool: 'banister.output', argumentsText: '{"title":"Plan"}' })],
  ])('agents C10: is typed, and is the text of the last round: %s', async (_name, mode, answer) => {
    const { agent, provider } = agentOf([answer], {}, { structuredOutput: mode });
    const { f, result, child } = await ran(agent, schema);
    await using _ = f;
    expectTypeOf(result.output).toEqualTypeOf<{ title: string } | undefined>();
    expect(result).toMatchObject({
      status: 'completed',
      output: { title: 'Plan' },
      text: '{"title":"Plan"}',
      rounds: 1,
    });
    expect(child.structured).toEqual({ schema });
    expect(outputOf(schema, child)?.value).toEqual({ title: 'Plan' });
    expect(provider.requests[0]!.output).toEqual(mode ? { schema } : undefined);
    expect(f.session.state.turns[0]!.structured).toBeUndefined();
  });

  it('agents C10: without the option, a result has no output', async () => {
    const results: RunResult[] = [];
    const { agent } = agentOf([plan]);
    const { f } = acting(async (run) => void results.push(await run('a', 'Go')), [agent]);
    await using _ = f;
    await f.session.send('Go');
    expectTypeOf(results[0]!.output).toEqualTypeOf<undefined>();
    expect(results).toMatchObject([{ text: '{"title":"Plan"}', output: undefined }]);
  });

  it('agents C10: an agent with tools works first, and one more round asks for the output', async () => {
    const { agent, provider } = agentOf(
      [addCard, say('I added a card.'), plan],
      { tools: ['crew.add'] },
      structured,
    );
    const { f, result, child, cards } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({ status: 'completed', output: { title: 'Plan' }, rounds: 3 });
    expect(child.structured).toEqual({ schema, afterWork: true });
    expect(cards).toEqual(['A']);
    expect(provider.requests.map(({ output, toolChoice }) => [output !== undefined, toolChoice])).toEqual([
      [false, undefined],
      [false, undefined],
      [true, 'none'],
    ]);
    expect(provider.requests[2]!.messages.slice(-2)).toMatchObject([
      { role: 'assistant', parts: [{ text: 'I added a card.' }] },
      { role: 'user', parts: [{ text: expect.stringContaining('the result of your work now') as string }] },
    ]);
    expect(child.rounds.map(({ parts }) => parts.map(({ type }) => type))).toEqual([
      ['tool-call'],
      ['text'],
      ['text'],
    ]);
  });

  it('agents C10: an agent that says nothing after its work is asked for the output too', async () => {
    const { agent } = agentOf([addCard, say(''), plan], { tools: ['crew.add'] }, structured);
    const { f, result } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({ status: 'completed', output: { title: 'Plan' }, rounds: 3 });
  });

  it('agents C10: a work answer that a middleware withholds is given again, before the output is asked for', async () => {
    const withholds: Middleware = {
      name: 'withholds',
      afterResponse: ({ text }) => (text === 'Bad.' ? { withhold: 'No.', again: 'Say it well.' } : 'keep'),
    };
    const { agent, provider } = agentOf(
      [say('Bad.'), say('Good.'), plan],
      { tools: ['crew.add'], middleware: [withholds] },
      structured,
    );
    const { f, result } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({ status: 'completed', output: { title: 'Plan' }, rounds: 3 });
    expect(provider.requests.map(({ output }) => output !== undefined)).toEqual([false, false, true]);
  });

  it('agents C10: a schema of a library transforms the output', async () => {
    const { agent } = agentOf([plan], {}, structured);
    const { f, result } = await ran(
      agent,
      z.object({ title: z.string().transform((title) => title.length) }),
    );
    await using _ = f;
    expectTypeOf(result.output).toEqualTypeOf<{ title: number } | undefined>();
    expect(result.output).toEqual({ title: 4 });
  });

  it('agents C10: an answer that does not fit is repaired once', async () => {
    const { agent, provider } = agentOf([unfit, plan], {}, structured);
    const { f, result, child } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({ status: 'completed', output: { title: 'Plan' }, rounds: 2 });
    expect(JSON.stringify(provider.requests[1]!.messages)).toContain('title');
    expect(provider.requests[1]!.messages).toHaveLength(3);
    expect(child.rounds[0]!.parts).toEqual([]);
  });

  it('agents C4: children of a call stand in the order of their runs, although a run with an output loads its code first', async () => {
    const one = agentOf([plan], {}, structured).agent;
    const two = agentOf([say('Two.')], { id: 'b' }).agent;
    const act = (run: Run) => Promise.all([run('a', 'Go', { output: schema }), run('b', 'Go')]);
    const { f } = acting(act, [one, two]);
    await using _ = f;
    await f.session.send('Go');
    const children = childrenOf(f.session.state.turns[0]!);
    expect(children.map(({ agent, key }) => [agent, key])).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });
});

describe('a child turn without a valid output', () => {
  it.each([
    ['two answers that do not fit', [unfit, unfit], 'schema', '{"title":7}', 2],
    ['an answer that was cut', [finishWith('length', '{"title":"Pl')], 'length', '{"title":"Pl', 1],
    ['a refusal', [finishWith('refusal', 'No.')], 'refusal', 'No.', 1],
    ['a call', [callTools({ tool: 'crew.add', args: {} })], 'tool-call', '', 1],
  ])(
    'agents C10: after %s it is stopped, and keeps its effects',
    async (_name, last, reason, text, rounds) => {
      const { agent } = agentOf(
        [addCard, say('I added a card.'), ...last],
        { tools: ['crew.add'] },
        structured,
      );
      const { f, result, cards } = await ran(agent, schema);
      await using _ = f;
      expect(result).toMatchObject({
        status: 'stopped',
        output: undefined,
        text: text === '' ? 'I added a card.' : text,
        rounds: 2 + rounds,
        stop: { kind: 'limit', limit: { code: 'structured-output-invalid', details: { reason } } },
        effects: [{ description: 'Added "A"' }],
      });
      expect(cards).toEqual(['A']);
      expect(f.session.state.turns).toMatchObject([{ status: 'completed' }]);
      await f.session.undo();
      expect(cards).toEqual([]);
    },
  );

  it('agents C10: the middleware receives the answer that does not fit, and may withhold it', async () => {
    const seen: string[] = [];
    const watches: Middleware = {
      name: 'watches',
      afterResponse: ({ text }) => {
        seen.push(text);
        return text.includes('9') ? { withhold: 'No nine.' } : 'keep';
      },
    };
    const kept = agentOf([unfit, unfit], { middleware: [watches] }, structured).agent;
    const one = await ran(kept, schema);
    await using _one = one.f;
    expect(one.result).toMatchObject({ status: 'stopped', text: '{"title":7}' });
    const held = agentOf([unfit, say('{"title":9}')], { middleware: [watches] }, structured).agent;
    const two = await ran(held, schema);
    await using _two = two.f;
    expect(two.result).toMatchObject({
      status: 'stopped',
      text: '',
      stop: { limit: { code: 'structured-output-invalid' } },
    });
    expect(seen).toEqual(['{"title":7}', '{"title":9}']);
  });

  it('agents C10: a fitting output that a middleware withholds is no output', async () => {
    const withholds: Middleware = { name: 'withholds', afterResponse: () => ({ withhold: 'No.' }) };
    const { agent } = agentOf([plan], { middleware: [withholds] }, structured);
    const { f, result } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({
      status: 'stopped',
      text: '',
      output: undefined,
      stop: { limit: { code: 'structured-output-invalid', details: { reason: 'withheld' } } },
    });
  });

  it('agents C10, C41: a limit that permits no round for the output stops it', async () => {
    const { agent } = agentOf(
      [say('I am ready.')],
      { tools: ['crew.add'], limits: { maxRounds: 1 } },
      structured,
    );
    const { f, result } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({
      status: 'stopped',
      output: undefined,
      text: 'I am ready.',
      stop: { limit: { code: 'max-rounds' } },
    });
  });

  it('agents C10: a limit that permits no repair stops it with the answer that does not fit', async () => {
    const { agent, provider } = agentOf([unfit], { limits: { maxRounds: 1 } }, structured);
    const { f, result } = await ran(agent, schema);
    await using _ = f;
    expect(result).toMatchObject({
      status: 'stopped',
      stop: { limit: { code: 'structured-output-invalid' } },
    });
    expect(provider.requests).toHaveLength(1);
  });

  it('agents C10, C34: a child turn that is cancelled, or fails, has no output', async () => {
    const results: RunResult<typeof schema>[] = [];
    const { f } = acting(
      async (run) => {
        const ends = ['a', 'b'].map((id) => run(id, 'Go', { output: schema }));
        results.push(...(await Promise.all(ends)));
      },
      [
        agentOf([stall('{"title":"P')], {}, structured).agent,
        agentOf([fail('auth')], { id: 'b' }, structured).agent,
      ],
      { reportsErrors: true },
    );
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    await f.session.cancel({ child: childrenOf(f.session.state.liveTurn!)[0]!.id });
    await turn;
    expect(results).toMatchObject([
      { status: 'cancelled', output: undefined },
      { status: 'failed', output: undefined },
    ]);
  });
});

describe('a run with a wrong output', () => {
  const none = { toolChoices: [], structuredOutput: false };
  it.each([
    ['a schema without an object as its root', 'invalid-configuration', { type: 'array' }, structured],
    ['something that is no schema', 'invalid-configuration', 7 as never, structured],
    ['a schema that cannot be checked', 'invalid-configuration', { type: 'object', $ref: '#/x' }, structured],
    ['a model without structured output and forced tools', 'unsupported', schema, none],
  ] as const)(
    'agents C10: %s rejects %s, and no child turn begins',
    async (_name, code, output, scripted) => {
      const codes: string[] = [];
      const { agent, provider } = agentOf([], {}, scripted);
      const { f } = acting(
        async (run) => void codes.push((await rejection(run('a', 'Go', { output }))).code),
        [agent],
      );
      await using _ = f;
      await f.session.send('Go');
      expect(codes).toEqual([code]);
      expect(provider.requests).toEqual([]);
      expect(childrenOf(f.session.state.turns[0]!)).toEqual([]);
    },
  );

  it('agents C10: a run that waits for its code begins no child turn after a cancel of its turn', async () => {
    const { agent, provider } = agentOf([], {}, structured);
    const { f } = acting(
      async (run) => {
        const ended = rejection(run('a', 'Go', { output: schema }));
        void f.session.cancel();
        expect((await ended).code).toBe('cancelled');
      },
      [agent],
      { looseScript: true },
    );
    await using _ = f;
    await f.session.send('Go').catch(() => {});
    expect(provider.requests).toEqual([]);
    expect(f.session.state.turns).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('a child turn with an output, after a reload', () => {
  const asked = { output: schema as ToolSchema, results: [] as RunResult<ToolSchema>[] };
  const flow = defineTool({
    name: 'flow',
    description: 'Runs a workflow.',
    parameters: { type: 'object' },
    replay: 'safe',
    async execute(_args, { run }) {
      asked.results.push(await run('a', 'Go', { key: 'first', output: asked.output }));
      await run('b', 'Go', { key: 'second' });
      return 'done';
    },
  });
  const add = defineTool({
    name: 'add',
    description: 'Adds nothing.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    execute: () => 'added',
  });
  const domains: readonly Domain[] = [{ id: 'crew', tools: [flow, add] }];

  function open(
    answers: readonly AnswerSource[],
    agents: readonly Agent[],
    before: readonly Operation[] = [],
  ) {
    const operations: Operation[] = [];
    const restored = { restored: { snapshot: null, records: recordsOf([before]) } };
    const provider = scriptedProvider(answers);
    const session = createAgentSession({ provider, domains, agents, ...(before.length > 0 && restored) });
    session.operations$.subscribe((operation) => operations.push(operation));
    return { session, operations };
  }

  const b = (answers: readonly AnswerSource[]) => agentOf(answers, { id: 'b' }).agent;

  /** Leaves a session when its agents have done what the answers say, and resumes the turn in another session. */
  async function reloaded(
    first: readonly AnswerSource[],
    then: readonly AnswerSource[],
    more: Partial<Agent> = {},
  ) {
    asked.results = [];
    const call = callTools({ tool: 'crew.flow', args: {} });
    const one = open([call], [agentOf(first, more, structured).agent, b([stall()])]);
    one.session.send('Go').catch(() => {});
    for (let turns = 0; turns < 40; turns++) await settle();
    await one.session.dispose({ turn: 'leave' });
    asked.results = [];
    const next = agentOf(then, more, structured);
    const two = open([say('Done.')], [next.agent, b([say('B.')])], one.operations);
    await opened(two.session);
    await two.session.resume();
    const all = [...one.operations, ...two.operations];
    expect(checkOrder(all)).toEqual([]);
    const children = childrenOf(two.session.state.turns[0]!);
    await two.session.dispose();
    return { children, provider: next.provider, leaves: leavesOf(all) };
  }

  it('agents C10, C51: one that has ended returns its output from the log, without a request', async () => {
    asked.output = schema;
    const { children, provider } = await reloaded([plan], []);
    expect(asked.results).toMatchObject([{ status: 'completed', output: { title: 'Plan' } }]);
    expect(children).toHaveLength(2);
    expect(provider.requests).toEqual([]);
  });

  it('agents C10, C51: one that has ended returns its output as the schema library transforms it', async () => {
    asked.output = z.object({ title: z.string().transform((title) => title.length) });
    await reloaded([plan], []);
    expect(asked.results).toMatchObject([{ status: 'completed', output: { title: 4 } }]);
  });

  it('agents C10, C51: if the schema library refuses the output of the log, the result has none', async () => {
    let isStrict = false;
    asked.output = z.object({ title: z.string() }).refine(() => !isStrict);
    const ended = reloaded([plan], []);
    for (let turns = 0; turns < 20; turns++) await settle();
    isStrict = true;
    await ended;
    expect(asked.results).toMatchObject([
      { status: 'completed', text: '{"title":"Plan"}', output: undefined },
    ]);
  });

  it('agents C10, C51: one that has stopped without an output returns the answer that did not fit', async () => {
    asked.output = schema;
    const { leaves } = await reloaded([unfit, unfit], []);
    expect(asked.results).toMatchObject([{ status: 'stopped', text: '{"title":7}', output: undefined }]);
    expect(leaves.filter(({ type }) => type === 'text')).toHaveLength(2);
  });

  it.each([
    ['in an answer of its work', [stall('I ')], [say('Ready.'), plan], [false, true]],
    ['in the answer with the output', [say('Ready.'), stall('{"title"')], [plan], [true]],
    ['in the repair', [say('Ready.'), unfit, stall('{"ti')], [plan], [true]],
  ])('agents C10, C51: one that was interrupted %s goes on there', async (_name, first, then, asks) => {
    asked.output = schema;
    const { children, provider } = await reloaded(first, then, { tools: ['crew.add'] });
    expect(asked.results).toMatchObject([{ status: 'completed', output: { title: 'Plan' } }]);
    expect(provider.requests.map(({ output }) => output !== undefined)).toEqual(asks);
    expect(children.map(({ key, status }) => [key, status])).toEqual([
      ['first', 'completed'],
      ['second', 'completed'],
    ]);
  });

  it('agents C53: with another schema, the run is new', async () => {
    asked.output = schema;
    const other = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const ended = reloaded([stall()], [say('{"name":"Plan"}')]);
    for (let turns = 0; turns < 20; turns++) await settle();
    asked.output = other;
    const { children } = await ended;
    expect(asked.results).toMatchObject([{ status: 'completed', output: { name: 'Plan' } }]);
    expect(children.map(({ key, status }) => [key, status])).toEqual([
      ['first', 'failed'],
      ['first', 'completed'],
      ['second', 'completed'],
    ]);
  });
});
