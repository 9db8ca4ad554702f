// Staged discovery.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  fail,
  finishWith,
  forcedGuard,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
  type AnswerSource,
  type ScriptedProvider,
} from '@banister/testing';
import {
  confirmCapabilities,
  confirmTools,
  AgentSessionError,
  createAgentSession,
  createMirror,
  defineGuard,
  denyTools,
  preloadTurns,
  stagedDiscovery,
  type Domain,
  type SavedConversation,
  type StagedDiscovery,
  type StagedDiscoveryOptions,
} from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { listed } from '../src/discovery/discovery-tools.js';
import { discoveryLoaded } from './discovery-loaded.js';
import { fixture, rejection, resultTexts, type FixtureOptions } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(discoveryLoaded);

const domain = (id: string, count = 2, more: Partial<Domain> = {}): Domain => ({
  id,
  tools: Array.from({ length: count }, (_, index) =>
    spyTool(`t${index + 1}`, { description: `Does ${index + 1}. It is a tool.` }),
  ),
  ...more,
});
const mail = domain('mail', 2, { version: '2', summary: 'The mail of the user.' });
const board = domain('board');
const notes = domain('notes', 3);
const domains = [mail, board, notes];
const own = ['banister.list_domains', 'banister.use_domain'];

const use = (...ids: readonly string[]) => ({ tool: 'banister.use_domain', args: { ids: [...ids] } });
const list = { tool: 'banister.list_domains', args: {} };
const call = (tool: string, args = {}) => ({ tool, args });

/** The names of the tools of each request, without those of discovery. */
const offered = ({ requests }: ScriptedProvider) =>
  requests.map(({ tools }) => tools.map(({ name }) => name).filter((name) => !own.includes(name)));

/** A session whose domains are activated one after the other. */
const staged = (
  answers: readonly AnswerSource[],
  { discovery, ...options }: Omit<FixtureOptions, 'discovery'> & { discovery?: StagedDiscoveryOptions } = {},
) =>
  fixture(answers, {
    domains,
    ...options,
    discovery: stagedDiscovery(discovery ?? { always: true }),
  });

describe('a session with more tools than its model accepts', () => {
  it('AK-S8 refuses a turn before anything happens, and names the count, the cap and the option', async () => {
    await using f = fixture([], { domains, scripted: { maxTools: 6 } });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('unsupported');
    expect(error.message).toBe(
      'The model scripted-1 does not accept 7 tools, but 6, without discovery: stagedDiscovery().',
    );
    expect(f.observed.operations).toEqual([]);
  });

  it('runs a turn with as many as the model accepts', async () => {
    await using f = fixture([say('x')], { domains, scripted: { maxTools: 7 } });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.tools).toHaveLength(7);
  });

  it('counts the tool that reads context, if a source needs it', async () => {
    const context = [{ id: 'page', policy: 'onDemand', summary: () => 'x' }] as const;
    await using f = fixture([], { domains, context, scripted: { maxTools: 7 } });
    expect((await rejection(f.session.send('Go'))).message).toContain('8 tools, but 7');
  });

  it('is refused for the provider of one send too, and by resume', async () => {
    await using f = fixture([], { domains });
    const provider = scriptedProvider([], { maxTools: 6 });
    expect(await rejection(f.session.send('Go', { provider }))).toMatchObject({ code: 'unsupported' });
    const { session, operations } = createSession([callTools(call('mail.t1'))], {
      domains: [{ id: 'mail', tools: [spyTool('t1', { execute: () => new Promise(() => {}) })] }],
    });
    session.send('Go').catch(() => {});
    await settle();
    const log = operations.slice();
    await session.dispose({ turn: 'leave' });
    const next = createAgentSession({
      provider,
      domains,
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(next);
    expect(await rejection(next.resume())).toMatchObject({ code: 'unsupported' });
    await next.abandon();
    await next.dispose();
  });

  it('with staged discovery such a session begins with the tools of discovery', async () => {
    await using f = staged([say('x')], { scripted: { maxTools: 6 }, discovery: {} });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(own);
  });

  it('offers all tools even with staged discovery, if the model accepts so many', async () => {
    await using f = staged([say('x')], { scripted: { maxTools: 7 }, discovery: {} });
    await f.session.send('Go');
    expect(offered(f.provider)[0]).toHaveLength(7);
    expect(f.provider.requests[0]?.tools).toHaveLength(7);
    expect(f.provider.requests[0]?.system).not.toContain('banister.');
  });

  it("the app may set a lower limit than the model's", async () => {
    await using f = staged([callTools(use('notes', 'mail')), say('x')], { discovery: { maxTools: 6 } });
    await f.session.send('Go');
    expect(offered(f.provider)).toEqual([[], []]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('at most 6');
  });

  it('offers no more tools than the model accepts, even if the app allows more', async () => {
    const tools = Array.from({ length: 9 }, (_one, index) => spyTool(`t${index}`));
    await using f = fixture([say('x')], {
      scripted: { maxTools: 5 },
      discovery: stagedDiscovery({ maxTools: 100 }),
      domains: [{ id: 'many', tools }],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]!.tools.map(({ name }) => name)).toEqual([
      'banister.list_domains',
      'banister.use_domain',
    ]);
  });

  it('a model that accepts no tool beside those of discovery is refused', async () => {
    await using f = staged([], { scripted: { maxTools: 2 }, discovery: {} });
    expect(await rejection(f.session.send('Go'))).toMatchObject({ code: 'unsupported' });
    const context = [{ id: 'page', policy: 'onDemand', summary: () => 'x' }] as const;
    await using one = staged([say('x')], { scripted: { maxTools: 3 }, discovery: {} });
    await one.session.send('Go');
    await using none = staged([], { context, scripted: { maxTools: 3 }, discovery: {} });
    expect(await rejection(none.session.send('Go'))).toMatchObject({ code: 'unsupported' });
  });

  it.each([[{ always: 1 }], [{ maxTools: 2 }], [{ maxTools: 3.5 }], [{ more: true }]])(
    'throws `invalid-configuration` for invalid options of `stagedDiscovery`: %j',
    (options) => {
      expect(() => stagedDiscovery(options as StagedDiscoveryOptions)).toThrow(
        expect.objectContaining({ code: 'invalid-configuration' }),
      );
    },
  );

  it('accepts the smallest number of tools, which is 3, and no staged discovery of another kind', () => {
    expect(stagedDiscovery({ maxTools: 3 }).maxTools).toBe(3);
    expect(() => createAgentSession({ provider: scriptedProvider([]), discovery: {} as never })).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
  });

  it('has no discovery tools without domains, or after discovery was removed', async () => {
    await using f = staged([say('x'), say('y')], { domains: [] });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.tools).toEqual([]);
    f.session.configure({ discovery: null, domains: [board] });
    await f.session.send('Go');
    expect(f.provider.requests[1]?.tools.map(({ name }) => name)).toEqual(['board.t1', 'board.t2']);
  });
});

describe('staged discovery', () => {
  it('AK-S5 AK-S6 `banister.use_domain` gives the model the tools of a domain with its next request', async () => {
    await using f = staged([callTools(list), callTools(use('board')), callTools(call('board.t2')), say('x')]);
    await f.session.send('Go');
    const tools = ['board.t1', 'board.t2'];
    expect(offered(f.provider)).toEqual([[], [], tools, tools]);
    expect(board.tools[1]).toMatchObject({ runs: [expect.anything()] });
    expect(f.session.turns.value[0]).toMatchObject({ activated: ['board'] });
    expect(f.observed.operations.filter(({ type }) => type === 'domainsActivated')).toMatchObject([
      { ids: ['board'], round: 2, by: 'model' },
    ]);
    expect(resultTexts(f.provider.requests[2]!)[1]).toBe('Active from your next answer on: board.');
  });

  it('lists the domains with version, summary, and the first sentence about each tool', async () => {
    const long = { id: 'long', tools: [spyTool('t', { description: `${'x'.repeat(120)}y. End.` })] };
    const exact = { id: 'exact', tools: [spyTool('t', { description: 'x'.repeat(120) })] };
    await using f = staged([callTools(list), say('x')], { domains: [mail, long, exact] });
    await f.session.send('Go');
    const [part] = f.provider.requests[1]!.messages.at(-1)!.parts;
    expect(part?.type === 'tool-result' && part.content).toMatchObject([
      {
        value: {
          domains: [
            {
              id: 'mail',
              version: '2',
              summary: 'The mail of the user.',
              active: false,
              tools: ['mail.t1: Does 1.', 'mail.t2: Does 2.'],
            },
            { id: 'long', active: false, tools: [`long.t: ${'x'.repeat(119)}…`] },
            { id: 'exact', active: false, tools: [`exact.t: ${'x'.repeat(120)}`] },
          ],
        },
      },
    ]);
  });

  it.each([
    ['the names of the tools', 70, (id: string) => Array.from({ length: 25 }, (_, at) => `${id}.t${at + 1}`)],
    ['the number of its tools', 200, () => '25 tools'],
  ])('lists only %s of each domain if the list would be too long', async (_name, count, tools) => {
    const large = Array.from({ length: count }, (_, index) => domain(`domain${index}`, 25));
    await using f = staged([callTools(list), say('x')], { domains: large });
    await f.session.send('Go');
    const [part] = f.provider.requests[1]!.messages.at(-1)!.parts;
    expect(part).toMatchObject({ type: 'tool-result', outcome: 'success' });
    const [content] = part?.type === 'tool-result' ? part.content : [];
    expect(content).toMatchObject({
      value: { domains: large.map(({ id }) => ({ id, active: false, tools: tools(id) })) },
    });
    expect(JSON.stringify(content).length).toBeLessThan(40_100);
  });

  it('lists up to 40,000 characters; for the remaining domains it lists only the number of tools', async () => {
    const inactive = () => false;
    const toolsOf = (given: readonly Domain[]) =>
      (listed(given, inactive)['domains'] as { readonly tools: unknown }[]).map(({ tools }) => tools);
    const filled = (length: number) => {
      const short = [domain('a', 1, { summary: '.' })];
      const rest = length - JSON.stringify(listed(short, inactive)).length;
      return [domain('a', 1, { summary: '.'.repeat(rest + 1) })];
    };
    expect(toolsOf(filled(40_000))).toEqual([['a.t1: Does 1.']]);
    expect(toolsOf(filled(40_001))).toEqual([['a.t1']]);
    expect(toolsOf(filled(80_000))).toEqual(['1 tools']);
  });

  it('the system prompt names all domains, and which are not active', async () => {
    await using f = staged([callTools(use('mail')), say('x')], { domains: [mail, board], role: 'Helper.' });
    await f.session.send('Go');
    const [first, second] = f.provider.requests.map(({ system }) => system.split('\n'));
    expect(first).toEqual([
      'Helper.',
      '',
      'Domain mail, version 2, not active: The mail of the user.',
      'Domain board, not active',
      expect.stringContaining('banister.use_domain'),
    ]);
    expect(second?.slice(2, 4)).toEqual([
      'Domain mail, version 2: The mail of the user.',
      'Domain board, not active',
    ]);
  });

  it('keeps a domain active in later turns, and lists it once even if it is named again', async () => {
    await using f = staged([callTools(use('board')), say('x'), callTools(use('board', 'board')), say('y')]);
    await f.session.send('Go');
    await f.session.send('On');
    expect(offered(f.provider)[2]).toEqual(['board.t1', 'board.t2']);
    expect(resultTexts(f.provider.requests[3]!)[1]).toBe('Active from your next answer on: board.');
    expect(f.session.turns.value.map(({ activated }) => activated)).toEqual([['board'], undefined]);
  });

  it('activates several domains in one round, by one call or by several', async () => {
    await using f = staged([callTools(use('mail', 'mail'), use('board', 'notes')), say('x')]);
    await f.session.send('Go');
    expect(offered(f.provider)[1]).toHaveLength(7);
    expect(f.session.turns.value[0]?.activated).toEqual(['mail', 'board', 'notes']);
  });

  it('AK-L3 AK-S6 a later round of the turn cannot activate another domain, and the answer names the active domains', async () => {
    await using f = staged([
      callTools(use('board')),
      callTools(use('mail')),
      callTools(use('board')),
      say('x'),
      callTools(use('mail')),
      say('y'),
    ]);
    await f.session.send('Go');
    const [, refused, again] = resultTexts(f.provider.requests[3]!);
    expect(refused).toContain('the limit is 1');
    expect(refused).toContain('Active domains: board.');
    expect(again).toBe('Active from your next answer on: board.');
    expect(offered(f.provider)[3]).toEqual(['board.t1', 'board.t2']);
    await f.session.send('On');
    expect(offered(f.provider)[5]).toEqual(['mail.t1', 'mail.t2', 'board.t1', 'board.t2']);
  });

  it.each([
    [0, []],
    [2, ['mail', 'board']],
  ] as const)(
    'with `maxRebuilds: %i`, that many rounds may activate domains',
    async (maxRebuilds, active) => {
      const answers = [callTools(use('mail')), callTools(use('board')), callTools(use('notes')), say('x')];
      await using f = staged(answers, { limits: { maxRebuilds } });
      await f.session.send('Go');
      expect(f.session.turns.value[0]?.activated ?? []).toEqual(active);
    },
  );

  it('a domain over the cap stays inactive, and the answer names the active ones and the cap', async () => {
    await using f = staged([callTools(use('notes'), use('mail'), use('board')), say('x')], {
      scripted: { maxTools: 6 },
      discovery: {},
    });
    await f.session.send('Go');
    const texts = resultTexts(f.provider.requests[1]!);
    expect(texts[1]).toContain('mail cannot become active');
    expect(texts[1]).toContain('at most 6');
    expect(texts[1]).toContain('Active domains: notes.');
    expect(offered(f.provider)[1]).toEqual(['notes.t1', 'notes.t2', 'notes.t3']);
  });

  it('domains that fill the cap exactly become active', async () => {
    await using f = staged([callTools(use('mail', 'board')), say('x')], {
      scripted: { maxTools: 6 },
      discovery: {},
    });
    await f.session.send('Go');
    expect(f.provider.requests[1]?.tools).toHaveLength(6);
  });

  it('an unknown domain gives an error that names the existing domains', async () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f'];
    await using f = staged([callTools(use('board', 'bord'), use(), use(...many)), say('x')]);
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'There is no domain "bord". Domains: mail, board, notes.',
      'No domain is named. Domains: mail, board, notes.',
      'There is no domain "a", "b", "c", "d", "e". Domains: mail, board, notes.',
    ]);
    expect(offered(f.provider)[1]).toEqual([]);
  });

  it('the answer to an unknown domain repeats its whole name, or no part of it', async () => {
    await using f = staged([callTools(use('a'.repeat(200), `${'a'.repeat(200)}b`)), say('x')]);
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain(`"${'a'.repeat(200)}", "…".`);
  });

  it('a tool whose domain is not active is not called, and the answer says how it becomes active', async () => {
    await using f = staged([callTools(call('mail.t1'), call('mial.t1')), say('x'), say('y')]);
    const runs = () => (mail.tools[0] as ReturnType<typeof spyTool>).runs.length;
    const before = runs();
    await f.session.send('Go');
    expect(runs()).toBe(before);
    const texts = resultTexts(f.provider.requests[1]!);
    expect(texts[0]).toContain('"mail" is not active. Activate it with banister.use_domain.');
    expect(texts[0]).toContain('Active domains: none.');
    expect(texts[1]).toContain('There is no tool "mial.t1"');
    await f.session.send('On');
    // The call did not reach its tool, so that the tool is none of the path.
    expect(offered(f.provider)[2]).toEqual([]);
  });

  it('a tool with a result on the path stays defined and callable, up to the cap', async () => {
    await using f = fixture(
      [callTools(call('mail.t1')), say('x'), callTools(call('mail.t1', { n: 2 }), call('mail.t2')), say('y')],
      { domains },
    );
    await f.session.send('Go');
    f.session.configure({ discovery: stagedDiscovery({ maxTools: 3 }) });
    await f.session.send('On');
    expect(offered(f.provider).slice(2)).toEqual([['mail.t1'], ['mail.t1']]);
    const [again, other] = resultTexts(f.provider.requests[3]!).slice(-2);
    expect(again).not.toContain('not active');
    expect(other).toContain('not active');
  });

  it('if the model accepts fewer tools than all active domains have, offers the domains that became active last', async () => {
    await using f = staged([callTools(use('mail', 'notes')), say('x')]);
    await f.session.send('Go');
    const small = scriptedProvider([callTools(use('mail')), say('y')], { maxTools: 6 });
    await f.session.send('On', { provider: small });
    expect(offered(small)[0]).toEqual(['notes.t1', 'notes.t2', 'notes.t3']);
    expect(small.requests[0]?.system).toContain('Domain mail, version 2, not active');
    expect(resultTexts(small.requests[1]!).at(-1)).toContain('cannot become active');
  });

  it('a domain without tools can be active; a removed domain is not active', async () => {
    const empty = { id: 'empty', tools: [] };
    await using f = staged([callTools(use('empty', 'mail')), say('x'), say('y')], {
      domains: [...domains, empty],
      scripted: { maxTools: 4 },
    });
    await f.session.send('Go');
    expect(f.session.turns.value[0]?.activated).toEqual(['empty', 'mail']);
    f.session.configure({ domains: [board] });
    await f.session.send('On');
    expect(offered(f.provider)[2]).toEqual([]);
    expect(f.provider.requests[2]?.system).not.toContain('mail');
  });

  it('a removed domain is no longer named as active', async () => {
    await using f = staged([callTools(use('mail')), say('x'), callTools(call('board.t1')), say('y')]);
    await f.session.send('Go');
    f.session.configure({ domains: [board] });
    await f.session.send('On');
    const text = resultTexts(f.provider.requests.at(-1)!).at(-1);
    expect(text).toContain('"board" is not active');
    expect(text).toContain('Active domains: none.');
  });

  it('a source on demand keeps its tool beside the discovery tools', async () => {
    const context = [{ id: 'page', policy: 'onDemand', summary: () => 'The page.' }] as const;
    const read = { tool: 'banister.read_context', args: { id: 'page' } };
    await using f = staged([callTools(read), say('x')], { context });
    await f.session.send('Go');
    expect(offered(f.provider)[0]).toEqual(['banister.read_context']);
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['The page.']);
  });

  it('warns about the schemas of all tools, including tools of inactive domains', async () => {
    const odd = spyTool('odd', { parameters: { type: 'object', required: ['x'] } });
    await using f = staged([say('x')], { domains: [{ id: 'odd', tools: [odd] }] });
    await f.session.send('Go');
    expect(f.session.lastSchemaWarnings.value).toMatchObject([{ tool: 'odd.odd' }]);
  });
});

describe('guards and the calls of discovery', () => {
  it('AK-S7 a guard that denies by default is called for discovery too', async () => {
    const board2 = domain('board');
    const byDefault = (allowed: readonly string[]) =>
      defineGuard('strict', ({ tool }) =>
        allowed.some((prefix) => tool.startsWith(prefix)) ? 'allow' : { deny: 'Not allowed.' },
      );
    await using strict = staged([callTools(use('board')), say('x')], {
      domains: [board2],
      guards: [byDefault([])],
    });
    await strict.session.send('Go');
    expect(resultTexts(strict.provider.requests[1]!)[0]).toContain('Not allowed.');
    expect(offered(strict.provider)[1]).toEqual([]);
    await using open = staged([callTools(use('board')), callTools(call('board.t1')), say('x')], {
      domains: [board2],
      guards: [byDefault(['banister.'])],
    });
    await open.session.send('Go');
    expect(offered(open.provider)[1]).toEqual(['board.t1', 'board.t2']);
    expect(resultTexts(open.provider.requests[2]!)[1]).toContain('Not allowed.');
  });

  it('guards of a mode decide about discovery too', async () => {
    const plan = { id: 'plan', title: 'Plan only', guards: [denyTools('banister.use_domain')] };
    await using f = staged([callTools(use('board')), say('x'), callTools(use('board')), say('x')], {
      modes: [plan, { id: 'auto', title: 'Act alone', guards: [] }],
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('denied');
    expect(offered(f.provider)[1]).toEqual([]);
    await f.session.setMode('auto');
    await f.session.send('Go');
    expect(offered(f.provider)[3]).toEqual(['board.t1', 'board.t2']);
  });

  it('a grant of its tool answers a question about it', async () => {
    const answers = [callTools(use('board')), say('x'), callTools(use('mail')), say('x')];
    await using f = staged(answers, { guards: [confirmTools('banister.use_domain')] });
    const first = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value).toMatchObject({ call: { tool: 'banister.use_domain' } });
    await f.session.pendingConfirmation.value!.approve({ remember: 'session', scope: 'tool' });
    await first;
    await f.session.send('Go');
    const [grant] = f.session.grants.value;
    expect(grant).toMatchObject({ tool: 'banister.use_domain' });
    const asked = f.observed.operations.filter(({ type }) => type === 'confirmationRequested');
    const decided = f.observed.operations.findLast(({ type }) => type === 'guardDecided');
    expect(asked).toHaveLength(1);
    expect(decided).toMatchObject({ verdict: 'allow', grant: grant!.id });
    expect(f.session.turns.value.map(({ activated }) => activated)).toEqual([['board'], ['mail']]);
  });

  it('guards get the domain ids as arguments, and the capability `readOnly`', async () => {
    const seen: unknown[] = [];
    const guard = defineGuard('sees', ({ tool, arguments: args, capabilities }) => {
      seen.push([tool, args, capabilities]);
      return 'allow';
    });
    await using f = staged([callTools(use('board')), say('x')], {
      guards: [guard, confirmCapabilities('mutating')],
    });
    await f.session.send('Go');
    expect(seen).toEqual([['banister.use_domain', { ids: ['board'] }, ['readOnly']]]);
  });

  it('a guard can name the discovery tools even before there is a domain', async () => {
    const guards = [denyTools('banister.list_domains', 'banister.use_domain')];
    await using f = staged([callTools(list), say('x')], { guards });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('denied');
    expect(() => f.session.configure({ guards: [denyTools('banister.use_domains')] })).toThrow(
      'banister.use_domains',
    );
  });

  it('a domain becomes active when the user approves, with the ids that the user edited', async () => {
    await using f = staged([callTools(use('board', 'mail')), say('x')], {
      guards: [forcedGuard('asks', { confirm: 'Really?' })],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.session.pendingConfirmation.value!.approve({ arguments: { ids: ['mail'] } });
    await turn;
    expect(offered(f.provider)[1]).toEqual(['mail.t1', 'mail.t2']);
  });
});

describe('a tool choice and staged discovery', () => {
  it("the chosen tool's domain becomes active, without counting against `maxRebuilds`", async () => {
    await using f = staged([callTools(call('board.t1')), callTools(use('mail')), say('x')]);
    await f.session.send('Go', { toolChoice: { tool: 'board.t1' } });
    const both = ['mail.t1', 'mail.t2', 'board.t1', 'board.t2'];
    expect(offered(f.provider)).toEqual([['board.t1', 'board.t2'], ['board.t1', 'board.t2'], both]);
    expect(f.observed.operations.filter(({ type }) => type === 'domainsActivated')).toMatchObject([
      { ids: ['board'], round: 1, by: 'choice' },
      { ids: ['mail'], round: 2, by: 'model' },
    ]);
  });

  it('a tool whose domain is active activates nothing', async () => {
    await using f = staged([callTools(use('board')), say('x'), callTools(call('board.t1')), say('y')]);
    await f.session.send('Go');
    await f.session.send('On', { toolChoice: { tool: 'board.t1' } });
    expect(f.session.turns.value[1]).not.toHaveProperty('activated');
  });

  it('if the domain of the chosen tool exceeds the cap, only the tool is defined, and may be called', async () => {
    await using f = staged([callTools(call('notes.t2')), say('x')], {
      scripted: { maxTools: 4 },
      discovery: {},
    });
    await f.session.send('Go', { toolChoice: { tool: 'notes.t2' } });
    expect(offered(f.provider)[0]).toEqual(['notes.t2']);
    expect(f.session.turns.value[0]!.rounds[0]!.parts).toMatchObject([
      { tool: 'notes.t2', result: { outcome: 'success' } },
    ]);
  });

  it('a tool that was removed when its turn is resumed activates nothing', async () => {
    const discovery = stagedDiscovery({ always: true });
    const first = createSession([stall('Half')], { domains, discovery });
    first.session.send('Go', { toolChoice: { tool: 'board.t1' } }).catch(() => {});
    await settle();
    const log = first.operations.slice();
    const records = recordsOf([
      log.slice(
        0,
        log.findIndex(({ type }) => type === 'domainsActivated'),
      ),
    ]);
    await first.session.dispose({ turn: 'leave' });
    const next = createSession([callTools(call('board.t1')), say('x')], {
      domains: [mail],
      discovery,
      restored: { snapshot: null, records },
    });
    await opened(next.session);
    await next.session.resume();
    expect(next.operations.map(({ type }) => type)).not.toContain('domainsActivated');
    await next.session.dispose();
  });

  it('a call of a discovery tool satisfies `required`', async () => {
    await using f = staged([callTools(list), say('x')]);
    expect(await f.session.send('Go', { toolChoice: 'required' })).toMatchObject({ status: 'completed' });
  });

  it('if no tool may be called, the tools that messages name are defined, within the cap', async () => {
    await using f = staged(
      [callTools(use('notes'), call('mail.t1')), callTools(call('notes.t3')), say('x'), say('y')],
      {
        scripted: { maxTools: 6 },
        discovery: {},
      },
    );
    await f.session.send('Go');
    await f.session.send('On', { toolChoice: 'none' });
    const names = f.provider.requests.at(-1)!.tools.map(({ name }) => name);
    expect(names).toHaveLength(6);
    expect(names).toEqual(expect.arrayContaining(['banister.use_domain', 'mail.t1', 'notes.t3']));
  });

  it('`generate` has only the tools that the messages name, and no lines about activating domains', async () => {
    await using f = staged([callTools(use('board')), callTools(call('board.t1')), say('x'), say('{}')]);
    await f.session.send('Go');
    await f.session.generate('Summary', { type: 'object' });
    const request = f.provider.requests.at(-1)!;
    expect(request.tools.map(({ name }) => name)).toEqual(['board.t1', 'banister.use_domain']);
    expect(request.system).not.toContain('not active');
  });
});

describe('calls inside an answer and staged discovery', () => {
  it('an answer with calls inside ends when a domain becomes active', async () => {
    await using f = staged(
      [
        finishWith('stop', 'I look. ', callInside(use('board')), 'Never said.'),
        finishWith('stop', callInside(call('board.t1')), 'Done.'),
      ],
      { scripted: { maxTools: 6 }, discovery: {} },
    );
    const result = await f.session.send('Go');
    expect(offered(f.provider)).toEqual([[], ['board.t1', 'board.t2']]);
    expect(result).toMatchObject({ status: 'completed', rounds: 2 });
    expect(result.text).not.toContain('Never said');
    expect(f.provider.streams[0]?.results).toEqual([]);
  });

  it('an answer continues if the domain was active already, or cannot become active', async () => {
    await using f = staged([
      callTools(use('board')),
      finishWith('stop', callInside(use('board'), use('mail')), 'Done.'),
    ]);
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'completed', rounds: 2, text: 'Done.' });
    expect(f.provider.streams[1]?.results).toHaveLength(2);
  });
});

describe('the active domains of a path', () => {
  it('a branch that starts before an activation does not have it', async () => {
    await using f = staged([say('x'), callTools(use('board')), say('y'), say('z'), say('back')]);
    await f.session.send('One');
    await f.session.send('Two');
    const [, two] = f.session.turns.value;
    await f.session.edit(two!.id, 'Other');
    expect(offered(f.provider).at(-1)).toEqual([]);
    await f.session.switchTo(two!.id);
    await f.session.send('On');
    expect(offered(f.provider).at(-1)).toEqual(['board.t1', 'board.t2']);
  });

  it('a clear ends it; a failed turn does not', async () => {
    await using f = staged([callTools(use('board')), fail('auth'), say('y'), say('z')]);
    expect(await rejection(f.session.send('Go'))).toMatchObject({ code: 'auth' });
    await f.session.send('On');
    expect(offered(f.provider).at(-1)).toEqual(['board.t1', 'board.t2']);
    await f.session.clear();
    await f.session.send('New');
    expect(offered(f.provider).at(-1)).toEqual([]);
  });

  it('come back with a saved conversation, and with the log', async () => {
    await using f = staged([callTools(use('board')), say('x')]);
    await f.session.send('Go');
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using next = staged([say('y')], { conversation });
    await next.session.send('On');
    expect(offered(next.provider)[0]).toEqual(['board.t1', 'board.t2']);

    const made = createSession([callTools(use('board')), say('x')], {
      domains,
      discovery: stagedDiscovery({ always: true }),
    });
    await made.session.send('Go');
    const records = recordsOf([made.operations]);
    await made.session.dispose();
    const again = createSession([say('y')], {
      domains,
      discovery: stagedDiscovery({ always: true }),
      restored: { snapshot: null, records },
    });
    await opened(again.session);
    await again.session.send('On');
    expect(again.provider.requests[0]?.tools.map(({ name }) => name)).toContain('board.t1');
    await again.session.dispose();
  });

  it('are the same in the state of a mirror', async () => {
    await using f = staged([callTools(use('board')), say('x')]);
    const mirror = createMirror(initialState());
    f.session.operations$.subscribe((operation) => mirror.fold([operation]));
    await f.session.send('Go');
    expect(mirror.state.turns[0]).toMatchObject({ activated: ['board'] });
    expect(fold(initialState(), f.observed.operations)).toEqual(f.session.state);
  });
});

describe('the code of staged discovery', () => {
  const { code } = stagedDiscovery();
  const late = (get: StagedDiscovery['code']['get']): StagedDiscovery => ({
    ...stagedDiscovery({ always: true }),
    code: { get },
  });

  it('is loaded before the turn asks, also if configure adds it', async () => {
    await using f = fixture([say('x')], { domains });
    f.session.configure({ discovery: stagedDiscovery({ always: true }) });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(own);
  });

  it('a turn waits until it is there', async () => {
    const loaded = gate();
    const discovery = late(async (clock) => {
      await loaded.pass();
      return code.get(clock);
    });
    await using f = fixture([say('x')], { domains, discovery });
    const turn = f.session.send('Go');
    await settle();
    expect(f.provider.requests).toEqual([]);
    loaded.open();
    await turn;
    expect(f.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(own);
  });

  it('a cancel ends the wait for it', async () => {
    await using f = fixture([], { domains, discovery: late(() => new Promise(() => {})) });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel();
    expect((await turn).code).toBe('cancelled');
  });

  it('a turn fails if it cannot be loaded, and a retry loads it again', async () => {
    let attempts = 0;
    const discovery = late((clock) => {
      attempts++;
      return attempts < 3
        ? Promise.reject(new AgentSessionError('network', 'It could not be loaded.'))
        : code.get(clock);
    });
    // The first attempt is that in the background.
    await using f = fixture([say('x')], { domains, discovery });
    expect((await rejection(f.session.send('Go'))).code).toBe('network');
    expect(await f.session.retry()).toMatchObject({ status: 'completed' });
    expect(f.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(own);
  });

  it('is loaded by preloadTurns', async () => {
    let attempts = 0;
    const discovery = late((clock) => {
      attempts++;
      return code.get(clock);
    });
    await preloadTurns({ discovery });
    expect(attempts).toBe(1);
  });
});
