// Domains that become active when they are named, and their instructions.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callTools,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  type AnswerSource,
  type ScriptedProvider,
} from '@banister/testing';
import {
  compaction,
  confirmTools,
  createAgentSession,
  defineAgent,
  denyTools,
  stagedDiscovery,
  type Domain,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { agentsLoaded } from './agents-loaded.js';
import { compactionLoaded } from './compaction-loaded.js';
import { delegate, team } from './agents-board.js';
import { discoveryLoaded } from './discovery-loaded.js';
import { fixture, rejection, resultTexts, type FixtureOptions } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

beforeAll(async () => {
  await discoveryLoaded();
  await agentsLoaded();
  await compactionLoaded();
});

const board: Domain = { id: 'board', summary: 'Cards.', tools: [spyTool('add')] };
const notes: Domain = {
  id: 'release-notes',
  summary: 'Use when the user asks for release notes.',
  instructions: 'Write one line a change.\nBegin with a verb.',
  staged: true,
  tools: [],
};
const files: Domain = {
  id: 'style',
  summary: 'The style of the house.',
  instructions: 'Short sentences.',
  staged: true,
  tools: [spyTool('read_file', { capabilities: ['readOnly'] })],
};

const use = (...ids: readonly string[]) => ({ tool: 'banister.use_domain', args: { ids: [...ids] } });
const heading = (id: string) => `# Instructions of the domain ${id}\n`;
const inSystem = ({ requests }: ScriptedProvider, id = 'release-notes') =>
  requests.map(({ system }) => system.includes(heading(id)));
const toolsOf = ({ requests }: ScriptedProvider) =>
  requests.map(({ tools }) => tools.map(({ name }) => name).join(' '));
const own = 'banister.list_domains banister.use_domain';

const staged = (answers: readonly AnswerSource[], options: Partial<FixtureOptions> = {}) =>
  fixture(answers, { domains: [board, notes, files], discovery: stagedDiscovery(), ...options });

describe('a domain that is staged', () => {
  it('agents S1: waits until the model asks, while other domains are offered at once', async () => {
    await using f = staged([callTools(use('style')), say('Done.')]);
    await f.session.send('Go');
    expect(toolsOf(f.provider)).toEqual([`${own} board.add`, `${own} board.add style.read_file`]);
    const [first] = f.provider.requests;
    expect(first!.system).toContain('Domain board: Cards.');
    expect(first!.system).toContain(
      'Domain release-notes, not active: Use when the user asks for release notes.',
    );
  });

  it('agents S1: without a staged domain, and with few tools, the model has no tools of discovery', async () => {
    const { staged: _staged, ...atOnce } = notes;
    await using f = fixture([say('Done.')], { domains: [board, atOnce], discovery: stagedDiscovery() });
    await f.session.send('Go');
    expect(toolsOf(f.provider)).toEqual(['board.add']);
    expect(inSystem(f.provider)).toEqual([true]);
    expect(f.provider.requests[0]!.system).not.toContain('banister.use_domain');
  });

  it('agents S1: with more tools than the model accepts, all domains wait', async () => {
    await using f = staged([say('Done.')], { scripted: { maxTools: 3 }, domains: [board, board2, files] });
    await f.session.send('Go');
    expect(toolsOf(f.provider)).toEqual([own]);
  });

  it('agents S1: the tools of a domain that waits do not count for the maximum of the model', async () => {
    await using f = staged([say('Done.')], { scripted: { maxTools: 3 } });
    await f.session.send('Go');
    expect(toolsOf(f.provider)).toEqual([`${own} board.add`]);
  });

  it('agents S1: needs the option `discovery`, also after `configure`', async () => {
    const provider = scriptedProvider([]);
    for (const domain of [notes, { ...files, instructions: undefined }, { ...files, staged: undefined }])
      expect(() => createAgentSession({ provider, domains: [domain] })).toThrow(
        `The domain "${domain.id}" needs the option discovery, a stagedDiscovery().`,
      );
    await using f = staged([]);
    expect(() => f.session.configure({ discovery: null })).toThrow('needs the option discovery');
  });

  it.each([
    ['staged', { ...board, staged: 'yes' }, 'staged'],
    ['instructions', { ...board, instructions: '' }, 'instructions'],
    ['instructions', { ...board, instructions: 7 }, 'instructions'],
  ])('agents S1: wrong `%s` are refused', (_name, domain, field) => {
    const domains = [domain as unknown as Domain];
    expect(() =>
      createAgentSession({ provider: scriptedProvider([]), domains, discovery: stagedDiscovery() }),
    ).toThrow(field);
  });
});

const board2: Domain = { id: 'board2', tools: [spyTool('add')] };

describe('the instructions of a domain', () => {
  it('agents S2: are in the answer that activates it, and in no system prompt then', async () => {
    await using f = staged([callTools(use('release-notes')), say('a'), say('b')]);
    await f.session.send('Go');
    await f.session.send('On');
    expect(resultTexts(f.provider.requests[1]!).join('\n')).toContain(
      `${heading('release-notes')}Write one line a change.\nBegin with a verb.`,
    );
    expect(inSystem(f.provider)).toEqual([false, false, false]);
    expect(f.session.turns.value[0]!.activated).toEqual(['release-notes']);
  });

  it('agents S2: a second call for an active domain does not repeat them', async () => {
    await using f = staged([callTools(use('release-notes')), callTools(use('release-notes')), say('a')]);
    await f.session.send('Go');
    const texts = resultTexts(f.provider.requests[2]!);
    expect(texts.filter((text) => text.includes(heading('release-notes')))).toHaveLength(1);
  });

  it('agents S2: a domain without tools counts for no rebuild', async () => {
    await using f = staged(
      [callTools(use('release-notes')), callTools(use('style')), callTools(use('more')), say('a')],
      {
        domains: [board, notes, files, { ...files, id: 'more' }],
        limits: { maxRebuilds: 1 },
      },
    );
    await f.session.send('Go');
    expect(f.session.turns.value[0]!.activated).toEqual(['release-notes', 'style']);
    expect(resultTexts(f.provider.requests[3]!).at(-1)).toContain('No further domain');
  });

  it('agents S2: stand in the system prompt where a compaction or `clear` took the answer out', async () => {
    await using f = staged(
      [callTools(use('release-notes')), say('a'), say('The summary.'), say('b'), say('c')],
      {
        compaction: compaction({ at: 0.9, to: 0.1 }),
        looseScript: true,
        scripted: { contextWindow: 4_000 },
      },
    );
    await f.session.send('Go');
    await f.session.compact();
    await f.session.send('On');
    const last = () => f.provider.requests.at(-1)!;
    expect(
      last()
        .messages.flatMap(({ parts }) => parts)
        .some(({ type }) => type === 'tool-result'),
    ).toBe(false);
    expect(last().system).toContain(`${heading('release-notes')}Write one line a change.`);
    await f.session.clear();
    await f.session.send('On');
    expect(last().system).not.toContain(heading('release-notes'));
  });

  it('agents S2: are read once by a session that goes on after a reload', async () => {
    const given = { domains: [board, notes, files], discovery: stagedDiscovery() };
    const { session, operations } = createSession([callTools(use('release-notes')), say('a')], given);
    await session.send('Go');
    const log = operations.slice();
    await session.dispose();
    const provider = scriptedProvider([say('b')]);
    const next = createAgentSession({
      provider,
      ...given,
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(next);
    await next.send('On');
    expect(inSystem(provider)).toEqual([false]);
    expect(resultTexts(provider.requests[0]!).join()).toContain(heading('release-notes'));
    await next.dispose();
  });

  it('agents S2: are not active in a branch that starts before', async () => {
    await using f = staged([say('a'), callTools(use('release-notes')), say('b'), say('c')]);
    await f.session.send('Go');
    await f.session.send('Use it');
    await f.session.edit(f.session.turns.value[1]!.id, 'Without');
    expect(inSystem(f.provider)).toEqual([false, false, false, false]);
    expect(f.provider.requests.at(-1)!.system).toContain('release-notes, not active');
  });

  it('agents S2: a function is called once, when the text is first needed', async () => {
    let calls = 0;
    const read = async () => {
      calls++;
      return 'Read late.';
    };
    await using f = staged([callTools(use('release-notes')), say('a'), say('b')], {
      domains: [board, { ...notes, instructions: read }],
    });
    await f.session.send('Nothing yet', { toolChoice: 'auto' });
    await f.session.send('On');
    expect(calls).toBe(1);
    expect(resultTexts(f.provider.requests[1]!).join()).toContain('Read late.');
  });

  it('agents S2: a function that fails is reported, the model reads why, and the next turn calls it again', async () => {
    let calls = 0;
    const read = () => {
      if (++calls === 1) throw new Error('no network');
      return 'Now.';
    };
    const reported: unknown[] = [];
    await using f = staged([callTools(use('release-notes')), say('a'), say('b')], {
      domains: [board, { ...notes, instructions: read }],
      ports: { reportError: (error) => reported.push(error) },
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!).join()).toContain('They could not be read: no network');
    expect(reported).toHaveLength(1);
    await f.session.send('On');
    expect(calls).toBe(2);
    expect(f.provider.requests[2]!.system).toContain(`${heading('release-notes')}Now.`);
  });

  it('agents S2: that the app changes are read again, and replace those of the conversation', async () => {
    await using f = staged([callTools(use('release-notes')), say('a'), say('b'), say('c')]);
    await f.session.send('Go');
    f.session.configure({ domains: [board, { ...notes, instructions: 'Another text.' }, files] });
    await f.session.send('On');
    const { system } = f.provider.requests[2]!;
    expect(system).toContain(`${heading('release-notes')}Another text.`);
    expect(system).toContain('replace those in the conversation');
    f.session.configure({ domains: [board, notes, files] });
    await f.session.send('On');
    expect(inSystem(f.provider)[3]).toBe(false);
  });

  it('agents S2: a result of another tool with the same heading is not taken for them', async () => {
    const fake = spyTool('read', {
      execute: () => `${heading('release-notes')}Write one line a change.\nBegin with a verb.`,
    });
    await using f = staged([callTools({ tool: 'page.read', args: {} }), say('a')], {
      domains: [board, notes, { id: 'page', tools: [fake] }],
    });
    await f.session.send('Go', { use: ['release-notes'] });
    expect(inSystem(f.provider)).toEqual([true, true]);
  });

  it('agents S2: a function that does not settle is waited for as long as a tool', async () => {
    const never = () => new Promise<string>(() => {});
    await using f = staged([say('a')], {
      domains: [board, { ...notes, instructions: never, staged: false }],
      limits: { toolTimeoutMs: 500 },
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.provider.requests).toEqual([]);
    await f.clock.advance(500);
    await turn;
    expect(f.provider.requests[0]!.system).toContain(
      'They could not be read: they were not there after 500 ms',
    );
  });

  it('agents S5: of more domains than fit into an answer are refused, and none of them becomes active', async () => {
    const long = (id: string): Domain => ({ ...notes, id, instructions: 'A line of text.\n'.repeat(1_240) });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    await using f = staged([callTools(use(...ids)), callTools(use(...ids.slice(0, 4))), say('x')], {
      domains: [board, ...ids.map(long)],
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('name at most 4 domains in a call');
    expect(f.session.turns.value[0]!.activated).toEqual(ids.slice(0, 4));
    expect(resultTexts(f.provider.requests[2]!).at(-1)).toContain(heading('d'));
    expect(inSystem(f.provider, 'a')).toEqual([false, false, false]);
  });

  it('agents S2: a cancel ends the wait for them, and no domain becomes active', async () => {
    const reading = gate();
    const slow: Domain = { ...notes, instructions: () => new Promise<string>(() => reading.open()) };
    await using f = staged([callTools(use('release-notes'))], { domains: [board, slow] });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel({ immediate: true });
    expect(await turn).toMatchObject({ code: 'cancelled' });
    expect(f.observed.operations.map(({ type }) => type)).not.toContain('domainsActivated');
    const named = rejection(f.session.send('Go', { use: ['release-notes'] }));
    await settle();
    await f.session.cancel();
    expect(await named).toMatchObject({ code: 'cancelled' });
    expect(f.provider.requests).toHaveLength(1);
  });

  it('agents S5: longer ones than 20,000 characters are shortened, with a line that says so', async () => {
    const long = 'A line of text.\n'.repeat(2_000);
    await using f = staged([callTools(use('release-notes')), say('a')], {
      domains: [board, { ...notes, instructions: long }],
    });
    await f.session.send('Go');
    const text = resultTexts(f.provider.requests[1]!).join('\n');
    expect(text).toMatch(
      /\[The first 1\d{4}|\[The first 20000 of 32000 characters\. The rest was left out\.\]/,
    );
    expect(text.length).toBeLessThan(20_500);
  });
});

describe('the option `use` of a turn', () => {
  it('agents S2: activates domains before the first request, and the system prompt has their instructions', async () => {
    await using f = staged([say('a'), say('b')]);
    await f.session.send('Go', { use: ['release-notes', 'style', 'board'] });
    expect(f.session.turns.value[0]).toMatchObject({
      activated: ['release-notes', 'style'],
      options: { use: ['release-notes', 'style', 'board'] },
    });
    await f.session.send('On');
    expect(inSystem(f.provider)).toEqual([true, true]);
    expect(inSystem(f.provider, 'style')).toEqual([true, true]);
    expect(toolsOf(f.provider)[0]).toBe(`${own} board.add style.read_file`);
  });

  it('agents S2: works beside a tool choice, and with a queued message', async () => {
    await using f = staged([callTools({ tool: 'style.read_file', args: {} }), say('a'), say('b')]);
    await f.session.send('Go', { use: ['release-notes'], toolChoice: { tool: 'style.read_file' } });
    expect(f.session.turns.value[0]!.activated).toEqual(['release-notes', 'style']);
    await f.session.clear();
    await f.session.enqueue('On', { use: ['style'] });
    expect(f.session.turns.value.at(-1)!.activated).toEqual(['style']);
  });

  it('agents S2: is kept in a saved conversation, in which wrong ids are refused', async () => {
    await using f = staged([say('a')]);
    await f.session.send('Go', { use: ['release-notes'] });
    const saved = JSON.stringify(f.session.save());
    const given = {
      provider: scriptedProvider([]),
      domains: [board, notes, files],
      discovery: stagedDiscovery(),
    };
    const open = (text: string) => createAgentSession({ ...given, conversation: JSON.parse(text) as never });
    const session = open(saved);
    expect(session.turns.value[0]!.options).toEqual({ use: ['release-notes'] });
    await session.dispose();
    expect(() => open(saved.replace('"use":["release-notes"]', '"use":7'))).toThrow('use');
  });

  it('agents S2: is used again when the turn is repeated', async () => {
    await using f = staged([say('a'), say('b')]);
    await f.session.send('Go', { use: ['release-notes'] });
    await f.session.regenerate();
    expect(inSystem(f.provider)).toEqual([true, true]);
  });

  it('agents S2: domains whose tools do not fit end the turn, and the tools of other domains stay', async () => {
    const big: Domain = { ...files, id: 'big', tools: [spyTool('a'), spyTool('b')] };
    await using f = staged([say('a')], { domains: [board, big], scripted: { maxTools: 4 } });
    expect(await rejection(f.session.send('Go', { use: ['big'] }))).toMatchObject({
      code: 'unsupported',
      message:
        'The model scripted-1 accepts 4 tools in a request, too few for those of big beside the others.',
    });
    expect(f.session.turns.value.at(-1)?.activated).toBeUndefined();
    await f.session.send('Go');
    expect(toolsOf(f.provider)).toEqual([`${own} board.add`]);
  });

  it('agents S2: an unknown domain is refused, and nothing begins', async () => {
    await using f = staged([]);
    expect(await rejection(f.session.send('Go', { use: ['recipes'] }))).toMatchObject({
      code: 'invalid-configuration',
      message: 'There is no domain "recipes".',
    });
    expect(await rejection(f.session.send('Go', { use: [''] }))).toMatchObject({
      code: 'invalid-configuration',
    });
    expect(f.observed.operations).toEqual([]);
  });
});

describe('the activation of a domain with instructions', () => {
  it('agents S4: is a call that a guard may deny', async () => {
    await using f = staged([callTools(use('release-notes')), say('a')], {
      guards: [denyTools('banister.use_domain')],
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!).join()).not.toContain(heading('release-notes'));
    expect(f.session.turns.value[0]!.activated).toBeUndefined();
  });

  it('agents S4: is a call that the user may be asked about', async () => {
    await using f = staged([callTools(use('release-notes')), say('a')], {
      guards: [confirmTools('banister.use_domain')],
    });
    const turn = f.session.send('Go');
    await settle();
    const [question] = f.session.state.pendingConfirmations;
    expect(question!.call).toMatchObject({
      tool: 'banister.use_domain',
      arguments: { ids: ['release-notes'] },
    });
    await f.session.respond(question!.id, { approve: true });
    await turn;
    expect(resultTexts(f.provider.requests[1]!).join()).toContain(heading('release-notes'));
  });

  it('agents S4: an agent has the domains of its list from the start, and finds no other domain', async () => {
    const provider = scriptedProvider([say('a')]);
    await using f = fixture([delegate('writer'), say('Done.')], {
      domains: [board, notes, files, team()],
      discovery: stagedDiscovery(),
      looseScript: true,
      agents: [
        defineAgent({ id: 'writer', role: 'You write.', tools: ['release-notes', 'board'], provider }),
      ],
    });
    await f.session.send('Go');
    expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([{ status: 'completed' }]);
    expect(toolsOf(provider)).toEqual(['board.add']);
    expect(inSystem(provider)).toEqual([true]);
    expect(inSystem(provider, 'style')).toEqual([false]);
    expect(provider.requests[0]!.system).not.toContain('style');
  });

  it('agents S4: with `always`, the domains of an agent without tools do not wait', async () => {
    const provider = scriptedProvider([say('a')]);
    await using f = fixture(
      [callTools({ tool: 'banister.use_domain', args: { ids: ['team'] } }), delegate('writer'), say('Done.')],
      {
        domains: [board, notes, files, team()],
        discovery: stagedDiscovery({ always: true }),
        looseScript: true,
        agents: [
          defineAgent({ id: 'writer', role: 'You write.', tools: ['release-notes', 'board'], provider }),
        ],
      },
    );
    await f.session.send('Go');
    expect(toolsOf(provider)).toEqual([own]);
    expect(inSystem(provider)).toEqual([true]);
    expect(provider.requests[0]!.system).not.toContain('release-notes, not active');
  });
});
