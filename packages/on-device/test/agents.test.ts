// Child turns whose model, or the model of the turn above, is the model of the browser: its calls run inside its answer.
import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  preloadTurns,
  type Agent,
  type Provider,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { callTools, observe, say, scriptedProvider, settle } from '@banister/testing';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { onDevice } from '../src/index.js';
import { fakeLanguageModel, type FakeOptions } from './fake-language-model.js';

beforeAll(() => preloadTurns({ agents: [{ id: 'any', role: '' }] }));

const add = (...titles: readonly string[]) => ({
  call: titles.map((title) => ({ name: 'board_add', args: { title } })),
});
const delegate = callTools({ tool: 'banister.delegate', args: { agent: 'helper', task: 'Help.' } });
const delegateInside = (...tasks: readonly string[]) => ({
  call: tasks.map((task) => ({ name: 'banister_delegate', args: { agent: 'helper', task } })),
});

/**
 * A session with an agent whose model is the model of the browser.
 *
 * @param provider the provider of the session
 * @param limits the limits of the agent
 */
function start(
  fake: FakeOptions,
  provider: Provider,
  { limits, guards = [] }: Pick<Agent, 'limits' | 'guards'> = {},
) {
  const model = fakeLanguageModel(fake);
  const cards: string[] = [];
  const tool = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute({ title }, { undo }) {
      cards.push(title);
      undo({ description: `Added ${title}`, revert: () => void cards.splice(cards.indexOf(title), 1) });
      return `Added ${title}.`;
    },
  });
  const helper: Agent = {
    id: 'helper',
    description: 'Helps.',
    role: 'You help.',
    tools: ['board'],
    provider: onDevice({ languageModel: model }),
    limits,
  };
  const session = createAgentSession({
    provider,
    domains: [defineDomain({ id: 'board', tools: [tool] })],
    agents: [helper],
    guards,
    limits: { maxToolCalls: 60, timeoutMs: 300_000, maxConcurrentRequests: 1 },
  });
  const observed = observe(session);
  const children = () => {
    const { liveTurn, turns } = session.state;
    return childrenOf(liveTurn ?? turns.at(-1)!);
  };
  return {
    model,
    cards,
    session,
    children,
    async [Symbol.asyncDispose]() {
      await session.dispose();
      observed.check();
      observed.dispose();
      expect(model.live).toBe(0);
    },
  };
}

const root = () => scriptedProvider([delegate, say('Over.')]);

describe('an agent on the device', () => {
  it('agents C1: runs its calls inside its answer, and undo of the turn takes them back', async () => {
    await using f = start({ answers: [['I add. ', add('A', 'B'), 'Done.']] }, root());
    expect((await f.session.send('Go')).text).toBe('Over.');
    expect(f.children()).toMatchObject([{ status: 'completed', agent: 'helper' }]);
    expect([f.cards, f.model.toolResults]).toEqual([
      ['A', 'B'],
      ['Added A.', 'Added B.'],
    ]);
    await f.session.undo();
    expect(f.cards).toEqual([]);
  });

  it('agents C27: asks the user in the middle of its answer, with its agent', async () => {
    await using f = start({ answers: [[add('A'), 'Done.']] }, root(), {
      guards: [confirmTools('board.add')],
    });
    const sent = f.session.send('Go');
    await vi.waitFor(() => expect(f.session.pendingConfirmation.value).not.toBe(null));
    expect(f.session.pendingConfirmation.value!.agent).toMatchObject({ id: 'helper' });
    await f.session.pendingConfirmation.value!.approve();
    expect([(await sent).text, f.cards]).toEqual(['Over.', ['A']]);
  });

  it('agents C34: `cancel({ child })` ends its answer, closes its model, and takes back what it did', async () => {
    await using f = start({ answers: [[add('A'), 'Half ', 'stall']] }, root());
    const sent = f.session.send('Go');
    await vi.waitFor(() => expect(JSON.stringify(f.children())).toContain('Half'));
    const [child] = f.children();
    const report = await f.session.cancel({ child: child!.id });
    expect([report.cancelled, f.cards, f.model.live]).toEqual([true, [], 0]);
    expect((await sent).text).toBe('Over.');
    expect(f.children()).toMatchObject([{ status: 'cancelled' }]);
  });

  it('agents C14: fails alone if the browser ends its session, and takes back what it did', async () => {
    await using f = start({ answers: [[add('A'), 'Half', 'destroy']] }, root());
    expect((await f.session.send('Go')).text).toBe('Over.');
    expect(f.children()).toMatchObject([{ status: 'failed', outcome: { error: { code: 'interrupted' } } }]);
    expect(f.cards).toEqual([]);
  });

  it('fails with `unsupported` if the agent has the limit `maxTokensPerRound`, and the turn goes on', async () => {
    await using f = start({ answers: [['Done.']] }, root(), { limits: { maxTokensPerRound: 100 } });
    expect((await f.session.send('Go')).text).toBe('Over.');
    expect(f.children()).toMatchObject([{ status: 'failed', outcome: { error: { code: 'unsupported' } } }]);
    expect(f.model.created).toEqual([]);
  });
});

describe('a model of the browser that delegates', () => {
  it('agents C25: waits inside its answer for its agents, one after the other, also on the same device', async () => {
    const above = fakeLanguageModel({ answers: [[delegateInside('One', 'Two'), 'Over.']] });
    await using f = start(
      {
        answers: [
          [add('A'), 'First.'],
          [add('B'), 'Second.'],
        ],
      },
      onDevice({ languageModel: above }),
      {
        limits: undefined,
      },
    );
    f.session.configure({ limits: { maxToolCalls: 60, timeoutMs: 300_000, maxConcurrentRequests: 1 } });
    expect((await f.session.send('Go')).text).toBe('Over.');
    expect(f.children().map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(f.cards).toEqual(['A', 'B']);
    expect(above.toolResults.map((text) => /First|Second/.exec(text)?.[0])).toEqual(['First', 'Second']);
    expect(above.live).toBe(0);
    await f.session.undo();
    expect(f.cards).toEqual([]);
  });

  it('agents C33: is cancelled with its agents, whose calls are taken back', async () => {
    const above = fakeLanguageModel({ answers: [[delegateInside('One'), 'Over.']] });
    await using f = start({ answers: [[add('A'), 'Half ', 'stall']] }, onDevice({ languageModel: above }));
    const sent = f.session.send('Go').catch((error: { readonly code: string }) => error.code);
    await vi.waitFor(() => expect(JSON.stringify(f.children())).toContain('Half'));
    await f.session.cancel();
    await settle();
    expect([await sent, f.cards, f.model.live, above.live]).toEqual(['cancelled', [], 0, 0]);
    expect(f.children()).toMatchObject([{ status: 'cancelled' }]);
  });
});
