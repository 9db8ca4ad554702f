// Approvals that are remembered. A grant turns a question into an allowed call, and nothing else.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  createVirtualClock,
  forcedGuard,
  gate,
  gatedTool,
  memoryLog,
  say,
  settle,
  spyTool,
} from '@banister/testing';
import {
  confirmCapabilities,
  confirmTools,
  defineGuard,
  denyTools,
  type Capability,
  type Grant,
  type GrantStore,
  type JsonObject,
  type SessionOptions,
  type Tool,
} from '@banister/session';
import { fixture, rejection, resultTexts, type Fixture } from './fixture.js';
import { createSession } from './opened.js';

const guards = [confirmCapabilities('mutating', 'destructive', 'paid')];

function call(args: JsonObject = { id: 'a' }, tool = 'board.work') {
  return { tool, args };
}

/** A store in this page, which a test may break. */
function store(initial: readonly Grant[] = []) {
  const kept = new Map(initial.map((grant) => [grant.id, grant]));
  const listeners = new Set<() => void>();
  const broken = { load: false, put: false };
  const grants: GrantStore = {
    load: async () => {
      if (broken.load) throw new Error('The disk is gone.');
      return [...kept.values()];
    },
    put: async (grant) => {
      if (broken.put) throw new Error('The disk is full.');
      kept.set(grant.id, grant);
    },
    remove: async (id) => void kept.delete(id),
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
  const changed = () => listeners.forEach((listener) => listener());
  return { grants, kept, broken, listeners, changed };
}

/** Sends a message; answers the question that opens, if any, and tells whether there was one. */
async function turn(
  { session }: Pick<Fixture, 'session'>,
  options?: Parameters<NonNullable<typeof session.pendingConfirmation.value>['approve']>[0],
) {
  const sent = session.send('Go');
  sent.catch(() => {});
  await settle();
  const question = session.pendingConfirmation.value;
  const outcome = await question?.approve(options);
  await sent;
  return { asked: question !== null, outcome };
}

function world(
  turns: number,
  tool: Partial<Tool> = {},
  options: Partial<SessionOptions> = {},
  args?: readonly JsonObject[],
) {
  const work = spyTool('work', tool);
  const answers = Array.from({ length: turns }, (_, index) => [
    callTools(call(args?.[index])),
    say('Done.'),
  ]).flat();
  return { work, f: fixture(answers, { domains: [{ id: 'board', tools: [work] }], guards, ...options }) };
}

describe('an approval that is remembered', () => {
  it('a call that a grant covers runs without a question, and names the grant', async () => {
    const { f, work } = world(2);
    expect(await turn(f, { remember: 'session' })).toEqual({ asked: true, outcome: 'accepted' });
    const [grant] = f.session.grants.value;
    expect(grant).toMatchObject({ tool: 'board.work', remember: 'session', arguments: { id: 'a' } });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(work.runs).toHaveLength(2);
    const allowed = f.observed.operations.findLast((op) => op.type === 'guardDecided');
    expect(allowed).toMatchObject({ guard: 'confirmCapabilities', verdict: 'allow', grant: grant!.id });
    const record = f.session.turns.value.at(-1)!.rounds[0]!.parts.find((part) => part.type === 'tool-call');
    expect(record).toMatchObject({ grant: grant!.id });
    await f[Symbol.asyncDispose]();
  });

  it('covers equal arguments in any key order', async () => {
    const { f } = world(3, {}, {}, [
      { id: 'a', to: 'x' },
      { to: 'x', id: 'a' },
      { id: 'a', to: 'y' },
    ]);
    await turn(f, { remember: 'session' });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it('with the scope `tool` it covers any arguments', async () => {
    const { f } = world(2, {}, {}, [{ id: 'a' }, { id: 'b' }]);
    await turn(f, { remember: 'session', scope: 'tool' });
    expect(f.session.grants.value[0]).not.toHaveProperty('arguments');
    expect(await turn(f)).toMatchObject({ asked: false });
    await f[Symbol.asyncDispose]();
  });

  it.each([
    ['destructive', { capabilities: ['destructive'] as Capability[] }, guards],
    ['paid', { capabilities: ['paid'] as Capability[] }, guards],
    ['irreversible', { irreversible: true }, guards],
    [
      'with a cost that a guard names',
      {},
      [forcedGuard('price', { confirm: 'Sure?', cost: { amount: 1, currency: 'EUR' } })],
    ],
  ] as const)('for a tool that is %s, covers only the same arguments', async (_name, tool, asking) => {
    const { f } = world(3, tool, { guards: asking }, [{ id: 'a' }, { id: 'a' }, { id: 'b' }]);
    await turn(f, { remember: 'session', scope: 'tool' });
    expect(f.session.grants.value[0]).toMatchObject({ arguments: { id: 'a' } });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it('with the scope `tool` does not cover a call with a cost', async () => {
    const price = defineGuard('price', ({ arguments: { id } }) => ({
      confirm: 'Sure?',
      ...(id === 'dear' ? { cost: { amount: 1, currency: 'EUR' } } : {}),
    }));
    const { f } = world(3, {}, { guards: [price] }, [{ id: 'a' }, { id: 'b' }, { id: 'dear' }]);
    await turn(f, { remember: 'session', scope: 'tool' });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it('a grant for a turn ends with it', async () => {
    const work = spyTool('work');
    await using f = fixture(
      [callTools(call()), callTools(call()), say('Done.'), callTools(call()), say('Done.')],
      {
        domains: [{ id: 'board', tools: [work] }],
        guards,
      },
    );
    const sent = f.session.send('Go');
    await settle();
    await f.session.pendingConfirmation.value!.approve({ remember: 'turn' });
    expect(f.session.grants.value).toMatchObject([
      { remember: 'turn', turnId: f.session.liveTurn.value!.id },
    ]);
    await sent;
    expect(work.runs).toHaveLength(2);
    expect(f.session.grants.value).toEqual([]);
    expect(await turn(f)).toMatchObject({ asked: true });
  });

  it('covers the edited arguments', async () => {
    const { f } = world(3, {}, {}, [{ id: 'a' }, { id: 'b' }, { id: 'a' }]);
    await turn(f, { remember: 'session', arguments: { id: 'b' } });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it('never allows a call that a guard denies', async () => {
    const { f, work } = world(2);
    await turn(f, { remember: 'session', scope: 'tool' });
    f.session.configure({ guards: [...guards, denyTools('board.work')] });
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(work.runs).toHaveLength(1);
    await f[Symbol.asyncDispose]();
  });

  it.each([
    ['another description', { description: 'Deletes everything.' }],
    [
      'other parameters',
      { parameters: { type: 'object', properties: { id: { type: 'string' }, all: { type: 'boolean' } } } },
    ],
    ['more capabilities', { capabilities: ['mutating', 'networking'] }],
    ['an effect that cannot be taken back', { irreversible: true }],
  ] as const)('does not cover the same tool with %s', async (_name, change) => {
    const { f, work } = world(2);
    await turn(f, { remember: 'session' });
    f.session.configure({ domains: [{ id: 'board', tools: [{ ...work, ...(change as Partial<Tool>) }] }] });
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it.each([
    ['an unknown time', { remember: 'forever' }, /^remember: .* none of "turn", "session", "always"/],
    ['an unknown scope', { remember: 'session', scope: 'domain' }, /^scope: .* none of "tool", "arguments"/],
    ['always, without a store', { remember: 'always' }, /no store of grants/],
  ])('%s is refused, and the question stays open', async (_name, options, reason) => {
    const { f } = world(1);
    const sent = f.session.send('Go');
    await settle();
    const question = f.session.pendingConfirmation.value!;
    expect(await question.approve(options as never)).toEqual({ errors: [expect.stringMatching(reason)] });
    expect(f.session.pendingConfirmation.value).toBe(question);
    await question.approve();
    await sent;
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  it('a denial remembers nothing', async () => {
    const { f } = world(1);
    const sent = f.session.send('Go');
    await settle();
    await f.session.respond(f.session.pendingConfirmation.value!.id, {
      approve: false,
      remember: 'session',
    } as never);
    await sent;
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  it('given by the option `confirm` works in the same way', async () => {
    let asked = 0;
    const { f, work } = world(
      2,
      {},
      {
        confirm: () => {
          asked++;
          return { approve: true, remember: 'session' };
        },
      },
    );
    await f.session.send('Go');
    await f.session.send('Go');
    expect(asked).toBe(1);
    expect(work.runs).toHaveLength(2);
    await f[Symbol.asyncDispose]();
  });
});

describe('a grant that is revoked', () => {
  it('allows no later call', async () => {
    const { f } = world(2);
    await turn(f, { remember: 'session' });
    await f.session.revoke(f.session.grants.value[0]!.id);
    expect(f.session.grants.value).toEqual([]);
    expect(await turn(f)).toMatchObject({ asked: true });
    await f[Symbol.asyncDispose]();
  });

  it('while an earlier call of the batch runs: the user is asked about the allowed call before it starts', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    const work = spyTool('work');
    const batch = callTools({ tool: 'board.slow' }, call());
    await using f = fixture([callTools(call()), say('Done.'), batch, say('Done.')], {
      domains: [{ id: 'board', tools: [slow, work] }],
      guards,
    });
    await turn(f, { remember: 'session' });
    const sent = f.session.send('Go');
    await settle();
    expect(slow.runs).toHaveLength(1);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await f.session.revoke(f.session.grants.value[0]!.id);
    slow.runs[0]!.settle();
    await settle();
    expect(work.runs).toHaveLength(1);
    expect(f.session.pendingConfirmations.value).toMatchObject([{ call: { tool: 'board.work' } }]);
    await f.session.pendingConfirmation.value!.deny('Not any more.');
    await sent;
    expect(work.runs).toHaveLength(1);
    expect(resultTexts(f.provider.requests.at(-1)!).at(-1)).toMatch(/declined.*Not any more/);
  });

  it('in another session is first listed there when the store has it, and then removed', async () => {
    const { grants, kept, changed } = store();
    const [keeping, order] = [gate(), [] as string[]];
    const slow: GrantStore = {
      ...grants,
      put: async (grant) => {
        await grants.put(grant);
        await keeping.pass();
        order.push('put');
      },
      remove: async (id) => {
        await grants.remove(id);
        order.push('removed');
      },
    };
    const [first, second] = [world(1, {}, { grants: slow }), world(0, {}, { grants: slow })];
    await settle();
    await turn(first.f, { remember: 'always' });
    changed();
    await settle();
    expect(second.f.session.grants.value).toEqual([]);
    keeping.open();
    await settle();
    await second.f.session.revoke(second.f.session.grants.value[0]!.id);
    expect(order).toEqual(['put', 'removed']);
    expect([...kept]).toEqual([]);
    for (const { f } of [first, second]) await f[Symbol.asyncDispose]();
  });

  it('if the store does not answer in 5 seconds, the revocation is refused', async () => {
    const { grants } = store();
    const { f } = world(1, {}, { grants: { ...grants, remove: () => new Promise(() => {}) } });
    await turn(f, { remember: 'always' });
    await settle();
    const refused = rejection(f.session.revoke(f.session.grants.value[0]!.id));
    await f.clock.advance(5_000);
    expect(await refused).toMatchObject({ code: 'storage' });
    expect(f.session.grants.value).toHaveLength(1);
    await f[Symbol.asyncDispose]();
  });

  it('revoked while an older list is being loaded, still stops the call', async () => {
    const { grants } = store();
    const waits = new Map<number, ReturnType<typeof gate>>();
    let loads = 0;
    const load = async () => {
      const list = await grants.load();
      await waits.get(++loads)?.pass();
      return list;
    };
    const { f, work } = world(2, {}, { grants: { ...grants, load } });
    await turn(f, { remember: 'always' });
    await settle();
    // The first list decides about the call; this one is read before the call starts.
    const late = gate();
    waits.set(loads + 2, late);
    const sent = f.session.send('Again');
    await late.reached;
    await f.session.revoke(f.session.grants.value[0]!.id);
    late.open();
    await settle();
    expect(f.session.grants.value).toEqual([]);
    expect(work.runs).toHaveLength(1);
    await f.session.pendingConfirmation.value!.deny();
    await sent;
    await f[Symbol.asyncDispose]();
  });

  it('is revoked even in a store whose methods return nothing', async () => {
    const { grants, kept } = store();
    const put: unknown = (grant: Grant) => void kept.set(grant.id, grant);
    const remove: unknown = (id: string) => void kept.delete(id);
    const { f } = world(1, {}, { grants: { ...grants, put, remove } as GrantStore });
    await turn(f, { remember: 'always' });
    await settle();
    await f.session.revoke(f.session.grants.value[0]!.id);
    expect([kept.size, f.session.grants.value]).toEqual([0, []]);
    await f[Symbol.asyncDispose]();
  });

  it('an unknown one cannot be revoked', async () => {
    const { f } = world(0);
    expect(await rejection(f.session.revoke('grant-9'))).toMatchObject({ code: 'invalid-input' });
    await f[Symbol.asyncDispose]();
  });
});

describe('a grant for always', () => {
  const given: Grant = {
    id: 'x',
    tool: 'board.work',
    definition: 'd',
    remember: 'always',
    session: 's',
    at: 1,
  };

  it('a grant for always allows calls of other sessions', async () => {
    const { grants, kept } = store();
    const first = world(1, {}, { grants });
    await turn(first.f, { remember: 'always' });
    await settle();
    expect([...kept.values()]).toMatchObject([{ tool: 'board.work', remember: 'always' }]);
    await first.f[Symbol.asyncDispose]();

    const second = world(1, {}, { grants });
    await settle();
    expect(second.f.session.grants.value).toHaveLength(1);
    expect(await turn(second.f)).toMatchObject({ asked: false });
    await second.f[Symbol.asyncDispose]();
  });

  it('given by the option `confirm` is kept in the store too', async () => {
    const { grants, kept } = store();
    const confirm = () => ({ approve: true, remember: 'always' }) as const;
    const { f } = world(1, {}, { grants, confirm });
    await f.session.send('Go');
    await settle();
    expect([...kept.values()]).toMatchObject([{ tool: 'board.work', remember: 'always' }]);
    await f[Symbol.asyncDispose]();
  });

  it('is not listed again in the log when another grant is given', async () => {
    const { grants } = store(['g1', 'g2'].map((id) => ({ ...given, id, tool: `board.${id}` })));
    const { f } = world(2, {}, { grants }, [{ id: 'a' }, { id: 'b' }]);
    await settle();
    for (const remember of ['session', 'turn'] as const) await turn(f, { remember });
    const lists = f.observed.operations.flatMap((one) =>
      one.type === 'grantsChanged' ? [one.grants.map(({ id }) => id)] : [],
    );
    const session = f.session.grants.value.find(({ remember }) => remember === 'session')!;
    // Those of the store when the session began, and the end of the one for the turn.
    expect(lists).toEqual([
      ['g1', 'g2'],
      ['g1', 'g2', session.id],
    ]);
    await f[Symbol.asyncDispose]();
  });

  it('revoked elsewhere stops a call that has not started', async () => {
    const { grants, kept } = store();
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    const work = spyTool('work');
    const batch = callTools({ tool: 'board.slow' }, call());
    await using f = fixture([callTools(call()), say('Done.'), batch, say('Done.')], {
      domains: [{ id: 'board', tools: [slow, work] }],
      guards,
      grants,
    });
    await turn(f, { remember: 'always' });
    const sent = f.session.send('Go');
    await settle();
    kept.clear();
    slow.runs[0]!.settle();
    await settle();
    expect(work.runs).toHaveLength(1);
    expect(f.session.grants.value).toEqual([]);
    await f.session.pendingConfirmation.value!.deny();
    await sent;
  });

  it('changes made elsewhere are shown until the session is disposed', async () => {
    const { grants, kept, changed, listeners } = store();
    const { f } = world(1, {}, { grants });
    await turn(f, { remember: 'always' });
    await settle();
    expect(f.session.grants.value).toHaveLength(1);
    kept.clear();
    changed();
    await settle();
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
    expect(listeners.size).toBe(0);
  });

  it("the newest list of the session's store is shown", async () => {
    const lists: ((list: readonly Grant[]) => void)[] = [];
    const { grants, changed } = store();
    const load = () => new Promise<readonly Grant[]>((resolve) => lists.push(resolve));
    const { f } = world(0, {}, { grants: { ...grants, load } });
    await settle();
    changed();
    changed();
    await settle();
    const [first, older, newest] = lists;
    newest!([]);
    await settle();
    for (const late of [first!, older!]) late([given]);
    await settle();
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  it('of a store that the session no longer uses is not shown', async () => {
    const [before, now] = [store([given]), store()];
    const late = gate();
    const load = () => late.pass().then(before.grants.load);
    const { f } = world(0, {}, { grants: { ...before.grants, load } });
    await settle();
    f.session.configure({ grants: now.grants });
    await settle();
    late.open();
    await settle();
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  it('a store that the session no longer uses is unsubscribed once', async () => {
    const follow = { begun: 0, left: 0 };
    const { grants } = store();
    const subscribe = () => {
      follow.begun++;
      return () => void follow.left++;
    };
    const { f } = world(0, {}, { grants: { ...grants, subscribe } });
    await settle();
    for (const next of [{ ...grants, subscribe }, null, null, { ...grants, subscribe }]) {
      f.session.configure({ grants: next });
      await settle();
    }
    expect(follow).toEqual({ begun: 3, left: 2 });
    await f[Symbol.asyncDispose]();
    expect(follow).toEqual({ begun: 3, left: 3 });
  });

  it('a new store is followed even if unsubscribing from the old store fails, and the error is reported', async () => {
    const [before, now] = [store(), store([given])];
    const subscribe = () => () => {
      throw new Error('There is no way out.');
    };
    const { f } = world(0, {}, { grants: { ...before.grants, subscribe }, reportsErrors: true } as never);
    await settle();
    f.session.configure({ grants: now.grants });
    await settle();
    expect(f.session.grants.value).toEqual([given]);
    expect(now.listeners.size).toBe(1);
    expect(f.reported.map(String)).toEqual(['Error: There is no way out.']);
    await f[Symbol.asyncDispose]();
  });

  it('is shown only by the session that owns the log', async () => {
    const { grants, kept, changed } = store();
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const options = { id: 'chat', log, grants, domains: [{ id: 'board', tools: [spyTool('work')] }], guards };
    const first = createSession([], options, clock);
    await settle();
    const second = createSession([say('Hello.'), callTools(call()), say('Done.')], options, clock);
    await settle();
    // The first one gives the log to the second one, and still follows the store.
    await second.session.send('Hi');
    await turn(second, { remember: 'always' });
    await settle();
    expect(first.session.link.value.role).toBe('follower');
    kept.clear();
    changed();
    await settle();
    await clock.advance(1_000);
    expect(first.session.state.sequence).toBe(second.session.state.sequence);
    expect(first.session.state).toEqual(second.session.state);
    await first.session.dispose();
    await second.session.dispose();
  });

  it('of a store that cannot be followed still allows calls, and the error is reported', async () => {
    const { grants } = store();
    const subscribe = () => {
      throw new Error('No events here.');
    };
    const { f } = world(2, {}, { grants: { ...grants, subscribe }, reportsErrors: true } as never);
    await turn(f, { remember: 'always' });
    await settle();
    expect(await turn(f)).toMatchObject({ asked: false });
    expect(f.reported.map(String)).toEqual(['Error: No events here.']);
    await f[Symbol.asyncDispose]();
  });

  it('while the store fails, the user is asked', async () => {
    const { grants, broken } = store();
    const { f } = world(2, {}, { grants, reportsErrors: true } as never);
    await turn(f, { remember: 'always' });
    await settle();
    broken.load = true;
    expect(await turn(f)).toMatchObject({ asked: true });
    expect(f.reported.map(String)).toEqual(expect.arrayContaining(['Error: The disk is gone.']));
    await f[Symbol.asyncDispose]();
  });

  it('a store that does not answer delays a decision by at most 5 seconds', async () => {
    const { grants } = store();
    const put = () => new Promise<void>(() => {});
    const calls = ['a', 'b', 'c'].map((id) => call({ id }));
    const f = fixture([callTools(...calls), callTools(call({ id: 'd' })), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('work')] }],
      guards,
      grants: { ...grants, put },
      reportsErrors: true,
      looseScript: true,
    });
    const sent = f.session.send('Go');
    sent.catch(() => {});
    await settle();
    for (const { approve } of f.session.pendingConfirmations.value) await approve({ remember: 'always' });
    await settle();
    await f.clock.advance(5_000);
    await settle();
    expect(f.session.pendingConfirmation.value?.call.arguments).toEqual({ id: 'd' });
    await f.session.cancel();
    await f.clock.advance(20_000);
    await f[Symbol.asyncDispose]();
  });

  it('that cannot be stored is not in the list, and the user is asked about the next call', async () => {
    const { grants, broken } = store();
    const { f, work } = world(2, {}, { grants, reportsErrors: true } as never);
    broken.put = true;
    expect(await turn(f, { remember: 'always' })).toMatchObject({ outcome: 'accepted' });
    await settle();
    expect(f.session.grants.value).toEqual([]);
    expect(await turn(f)).toMatchObject({ asked: true });
    expect(work.runs).toHaveLength(2);
    await f[Symbol.asyncDispose]();
  });

  it.each([
    null,
    7,
    {},
    { id: 'x', tool: 'board.work' },
    { id: 'x', tool: 'board.work', definition: 'd', remember: 'turn', at: 1 },
  ])('in a wrong form (%j) allows nothing, and is reported', async (grant) => {
    const { grants } = store();
    const { f } = world(1, {}, {
      grants: { ...grants, load: async () => [grant as never] },
      reportsErrors: true,
    } as never);
    expect(await turn(f)).toMatchObject({ asked: true });
    expect(f.reported.length).toBeGreaterThan(0);
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  /** A store whose only grant was changed behind the session, by another release or another page. */
  async function changedInStore(change: (grant: Grant) => unknown) {
    const { grants, kept } = store();
    const first = world(1, {}, { grants });
    await turn(first.f, { remember: 'always' });
    await first.f[Symbol.asyncDispose]();
    const load = async () => [...kept.values()].map(change) as Grant[];
    return world(1, {}, { grants: { ...grants, load }, reportsErrors: true } as never);
  }

  const circle: Record<string, unknown> = {};
  circle['own'] = circle;

  it.each<[string, unknown]>([
    ['contain themselves', circle],
    ['have a bigint', { id: 10n }],
    ['are null', null],
    ['are a list', []],
  ])('whose arguments %s allows nothing, and is reported', async (_name, args) => {
    const { f, work } = await changedInStore((grant) => ({ ...grant, arguments: args }));
    expect(await turn(f)).toMatchObject({ asked: true });
    expect(work.runs).toHaveLength(1);
    expect(f.reported.length).toBeGreaterThan(0);
    expect(f.session.grants.value).toEqual([]);
    await f[Symbol.asyncDispose]();
  });

  it('with a field that is not JSON is reported, and is in no operation', async () => {
    const { f } = await changedInStore((grant) => ({ ...grant, note: () => {} }));
    expect(await turn(f)).toMatchObject({ asked: true });
    expect(f.observed.types).not.toContain('grantsChanged');
    expect(f.reported.map(String)[0]).toMatch(/note is a function/);
    await f[Symbol.asyncDispose]();
  });

  it("remains the store's object: the session lists a copy", async () => {
    const kept = { ...given };
    const { grants } = store([kept]);
    const { f } = world(0, {}, { grants });
    await settle();
    expect(f.session.grants.value).toEqual([kept]);
    Object.assign(kept, { tool: 'board.other' });
    expect(f.session.grants.value).toMatchObject([{ tool: 'board.work' }]);
    await f[Symbol.asyncDispose]();
  });
});

describe('a log with grants', () => {
  const options = { domains: [{ id: 'board', tools: [spyTool('work')] }], guards };
  const answers = [callTools(call()), say('Done.')];

  it('keeps the grants of the session when it is reopened under its id', async () => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const first = createSession(answers, { ...options, id: 'chat', log }, clock);
    await settle();
    await turn(first, { remember: 'session' });
    await first.session.dispose();
    const second = createSession(answers, { ...options, id: 'chat', log }, clock);
    await settle();
    expect(await turn(second)).toMatchObject({ asked: false });
    await second.session.dispose();
  });

  it.each(['under another id', 'as records of an app'] as const)('brings no grants %s', async (way) => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const first = createSession(answers, { ...options, id: 'chat', log }, clock);
    await settle();
    await turn(first, { remember: 'session' });
    await first.session.dispose();
    const restored = await log.load('chat');
    const copy = { ...memoryLog({ clock }), load: async () => restored };
    const opened =
      way === 'under another id'
        ? {
            id: 'copy',
            log: {
              ...log,
              load: () => log.load('chat'),
              claim: copy.claim,
              append: async () => {},
              renew: copy.renew,
              release: copy.release,
              channel: undefined,
            },
          }
        : { restored };
    const second = createSession(answers, { ...options, ...(opened as object) }, clock);
    await settle();
    expect(await turn(second)).toMatchObject({ asked: true });
    await second.session.dispose();
  });

  it('a saved conversation brings no grants', async () => {
    const first = createSession(answers, options);
    await settle();
    await turn(first, { remember: 'session' });
    const conversation = first.session.save();
    expect(JSON.stringify(conversation)).not.toContain('grant');
    const second = createSession(answers, { ...options, conversation });
    expect(second.session.grants.value).toEqual([]);
    expect(await turn(second)).toMatchObject({ asked: true });
  });
});

describe('a grant and a session that runs again', () => {
  /** The records of a turn whose call has a grant for the turn, and was cut while it ran. */
  async function cut(tool: Partial<Tool> = {}) {
    const hangs = gatedTool('work', tool);
    const domains = [{ id: 'board', tools: [hangs] }];
    const clock = createVirtualClock(1_000);
    const options = { domains, guards, id: 'chat', log: memoryLog({ clock }) };
    const { session } = createSession([callTools(call())], options, clock);
    session.send('Go').catch(() => {});
    await settle();
    await session.pendingConfirmation.value!.approve({ remember: 'turn' });
    await settle();
    await session.dispose({ turn: 'leave' });
    const again = createSession([callTools(call()), say('Done.')], options, clock);
    await settle();
    return again;
  }

  it('a grant for an abandoned turn covers no call of the next turn', async () => {
    const { session } = await cut();
    await session.abandon();
    session.send('Go').catch(() => {});
    await settle();
    expect(session.pendingConfirmations.value).toHaveLength(1);
    await session.dispose();
  });

  it('the answer to whether an interrupted call runs again cannot be remembered', async () => {
    const { session } = await cut({ replay: 'ask' });
    session.resume().catch(() => {});
    await settle();
    const question = session.pendingConfirmation.value!;
    expect(await question.approve({ remember: 'session' })).toEqual({
      errors: [expect.stringMatching(/cannot be remembered/)],
    });
    expect(session.pendingConfirmation.value).toBe(question);
    await session.dispose();
  });

  it('an allowed call that had not started is decided again by the current grants', async () => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    const work = spyTool('work');
    const options = {
      domains: [{ id: 'board', tools: [slow, work] }],
      guards: [confirmTools('board.work')],
      id: 'chat',
      log,
    };
    const batch = callTools({ tool: 'board.slow' }, call());
    const first = createSession([callTools(call()), say('Done.'), batch], options, clock);
    await settle();
    await turn(first, { remember: 'session' });
    first.session.send('Go').catch(() => {});
    await settle();
    expect(slow.runs).toHaveLength(1);
    await first.session.dispose({ turn: 'leave' });

    const second = createSession([say('Done.')], options, clock);
    await settle();
    expect(second.session.interrupted.value).not.toBeNull();
    await second.session.revoke(second.session.grants.value[0]!.id);
    const resumed = second.session.resume();
    await settle();
    expect(work.runs).toHaveLength(1);
    expect(second.session.pendingConfirmations.value).toHaveLength(1);
    await second.session.pendingConfirmation.value!.approve();
    await settle();
    slow.runs.at(-1)!.settle();
    await resumed;
    expect(work.runs).toHaveLength(2);
    await second.session.dispose();
  });
});
