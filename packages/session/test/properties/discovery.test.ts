import {
  callInside,
  callTools,
  checkOrder,
  finishWith,
  say,
  scriptedProvider,
  spyTool,
} from '@banister/testing';
import {
  createAgentSession,
  createMirror,
  isAgentSessionError,
  stagedDiscovery,
  type Domain,
  type JsonObject,
  type Operation,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { discoveryLoaded } from '../discovery-loaded.js';

beforeAll(discoveryLoaded);

/** One call of an answer: of discovery, or of a tool, by numbers that choose the domain and the tool. */
const call = fc.record({
  kind: fc.constantFrom('use' as const, 'use' as const, 'list' as const, 'tool' as const, 'tool' as const),
  domains: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
  tool: fc.nat(3),
});
type RandomCall = typeof call extends fc.Arbitrary<infer Call> ? Call : never;

const round = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  form: fc.constantFrom('batch' as const, 'batch' as const, 'inside' as const),
});

const turn = fc.record({
  /** The command before the turn. */
  before: fc.constantFrom('nothing', 'nothing', 'branch', 'switch', 'clear', 'reopen', 'regenerate'),
  which: fc.nat(9),
  rounds: fc.array(round, { maxLength: 3 }),
  choice: fc.option(fc.record({ domain: fc.nat(5), tool: fc.nat(3) }), { freq: 4 }),
});

const life = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 6 }),
  cap: fc.integer({ min: 3, max: 12 }),
  always: fc.boolean(),
  maxRebuilds: fc.integer({ min: 0, max: 3 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 5 }),
});
type Life = typeof life extends fc.Arbitrary<infer One> ? One : never;

const domainsOf = ({ sizes }: Life): readonly Domain[] =>
  sizes.map((size, index) => ({
    id: `d${index}`,
    tools: Array.from({ length: size }, (_, place) => spyTool(`t${place}`)),
  }));

const callOf = (
  { sizes }: Life,
  { kind, domains, tool }: RandomCall,
  number: number,
): { tool: string; args: JsonObject } => {
  const ids = domains.map((index) => `d${index}`);
  if (kind === 'use') return { tool: 'banister.use_domain', args: { ids } };
  if (kind === 'list') return { tool: 'banister.list_domains', args: {} };
  const domain = domains[0]! % sizes.length;
  return { tool: `d${domain}.t${tool}`, args: { number } };
};

/** The domains that the operations of the turns on the path activated. */
function activatedBy(operations: readonly Operation[], { turns }: SessionState): readonly string[] {
  return turns.flatMap(({ id }) =>
    operations.flatMap((operation) =>
      operation.type === 'domainsActivated' && operation.turnId === id ? operation.ids : [],
    ),
  );
}

/** Runs a life, and checks each request and each state. */
async function play(one: Life): Promise<{ requests: number; activations: number }> {
  const { cap, always, maxRebuilds, turns, sizes } = one;
  let number = 0;
  let script: { calls: readonly RandomCall[]; form: 'batch' | 'inside' }[] = [];
  const provider = scriptedProvider([], {
    maxTools: cap,
    otherwise: () => {
      const next = script.shift();
      if (next === undefined) return say('Done.');
      const calls = next.calls.map((each) => callOf(one, each, number++));
      return next.form === 'batch'
        ? callTools('I act.', ...calls)
        : finishWith('stop', 'I act. ', ...calls.map((each) => callInside(each)), 'Acted.');
    },
  });
  const operations: Operation[] = [];
  const domains = domainsOf(one);
  const create = (conversation?: SavedConversation) => {
    const session = createAgentSession({
      provider,
      domains,
      discovery: stagedDiscovery({ always }),
      limits: { maxRebuilds, maxToolCalls: 50 },
      ...(conversation === undefined ? {} : { conversation }),
    });
    const mirror = createMirror(session.state);
    const own: Operation[] = [];
    session.operations$.subscribe((operation) => {
      own.push(operation);
      operations.push(operation);
      mirror.fold([operation]);
    });
    return { session, mirror, own };
  };
  let stage = create();
  const end = async () => {
    expect(checkOrder(stage.own)).toEqual([]);
    expect(stage.mirror.state).toEqual(stage.session.state);
    await stage.session.dispose();
  };
  for (const { before, which, rounds, choice } of turns) {
    const { session } = stage;
    const ids = Object.keys(session.branches.value).concat(session.turns.value.map(({ id }) => id));
    const id = ids[which % Math.max(ids.length, 1)];
    const ignore = (error: unknown) => expect(isAgentSessionError(error)).toBe(true);
    script = rounds.map((each) => each);
    if (before === 'clear') await session.clear().catch(ignore);
    if (before === 'switch' && id !== undefined) await session.switchTo(id).catch(ignore);
    if (before === 'branch' && id !== undefined) await session.edit(id, 'Other').catch(ignore);
    if (before === 'regenerate') await session.regenerate({ force: true }).catch(ignore);
    if (before === 'reopen') {
      const saved = JSON.parse(JSON.stringify(session.save())) as SavedConversation;
      await end();
      stage = create(saved);
    }
    script = rounds.map((each) => each);
    const domain = choice === null ? 0 : choice.domain % sizes.length;
    const toolChoice =
      choice === null || choice.tool >= sizes[domain]! ? undefined : { tool: `d${domain}.t${choice.tool}` };
    await stage.session.send('Go', { toolChoice }).catch(ignore);
    const { turns: path } = stage.session.state;
    expect(path.flatMap(({ activated = [] }) => activated)).toEqual(
      activatedBy(operations, stage.session.state),
    );
  }
  await end();
  expect(provider.faults).toEqual([]);
  for (const { tools, messages, toolChoice } of provider.requests) {
    const names = new Set(tools.map(({ name }) => name));
    expect(tools.length).toBeLessThanOrEqual(cap);
    expect(names.size).toBe(tools.length);
    if (typeof toolChoice === 'object') expect(names).toContain(toolChoice.tool);
    const ran = new Set(
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) =>
          part.type === 'tool-result' && part.outcome !== 'rejected' ? [part.callId] : [],
        ),
      ),
    );
    const called = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' && ran.has(part.id) ? [part.tool] : [])),
    );
    // A tool choice may push older domains out of a request that is full.
    if (turns.every(({ choice }) => choice === null))
      for (const name of called) expect(names).toContain(name);
  }
  return {
    requests: provider.requests.length,
    activations: operations.filter(({ type }) => type === 'domainsActivated').length,
  };
}

test('never more tools than the cap; tools that messages name are defined; active is the fold of the path', async () => {
  let activations = 0;
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      activations += (await play(one)).activations;
    }),
    propertyRun('discovery', 1_000),
  );
  expect(activations).toBeGreaterThan(5);
});
