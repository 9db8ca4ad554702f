// The moments at which sources are read.
import { describe, expect, it, vi } from 'vitest';
import {
  callTools,
  createVirtualClock,
  gatedTool,
  say,
  settle,
  spyTool,
  type AnswerSource,
} from '@banister/testing';
import { cached, confirmTools, denyTools, type ContextSource } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, resultTexts, type FixtureOptions } from './fixture.js';

const read = { tool: 'banister.read_context' };
const ask = (id: string): AnswerSource => callTools({ ...read, args: { id } });

/** A source whose text is the number of times that it was read. */
function counted(more: Partial<ContextSource> = {}) {
  let reads = 0;
  const summary = vi.fn<() => string | Promise<string>>(() => String(++reads));
  const source: ContextSource = { id: 'count', policy: cached(60_000), summary, ...more };
  return { source, summary };
}

const silent = spyTool('look', { capabilities: ['readOnly'] });
const other = spyTool('send');
const app = (board = createBoard()) => [board.domain(), { id: 'mail', tools: [silent, other] }];

/** Runs one turn with these calls, each in a round of its own, and returns the line of each request. */
async function linesOf(calls: readonly { tool: string; args?: object }[], options: FixtureOptions) {
  await using f = fixture([...calls.map((call) => callTools(call as never)), say('x')], {
    domains: app(),
    ...options,
  });
  await f.session.send('Go');
  return f.provider.requests.map(({ system }) => system);
}

describe('a cached line', () => {
  it('AK-R5 is read again when its time has passed', async () => {
    const { source } = counted();
    await using f = fixture([say('a'), say('b'), say('c')], { context: [source] });
    await f.session.send('Go');
    await f.clock.advance(59_999);
    await f.session.send('On');
    await f.clock.advance(1);
    await f.session.send('On');
    expect(f.provider.requests.map(({ system }) => system)).toEqual([
      '[count]: 1',
      '[count]: 1',
      '[count]: 2',
    ]);
  });

  it('is read again when the clock was set back', async () => {
    const { source, summary } = counted();
    let now = 1_000_000;
    const clock = createVirtualClock(now);
    const ports = { clock: { now: () => now, schedule: clock.schedule.bind(clock) } };
    await using f = fixture([say('a'), say('b')], { context: [source], ports });
    await f.session.send('Go');
    now -= 1;
    await f.session.send('On');
    expect(summary).toHaveBeenCalledTimes(2);
  });

  it('serves all requests of the same moment, even with the shortest time', async () => {
    const { source, summary } = counted({ policy: cached(1) });
    await using f = fixture([callTools({ tool: 'mail.look' }), say('a')], {
      domains: app(),
      context: [source],
    });
    await f.session.send('Go');
    expect(summary).toHaveBeenCalledTimes(1);
  });

  it('AK-D9 AK-R9 is dropped when a call succeeds that may change its domain', async () => {
    const { source } = counted({ domain: 'board' });
    expect(await linesOf([addCard('A')], { context: [source] })).toEqual(['[count]: 1', '[count]: 2']);
  });

  it('stays if a call of another domain succeeds, if a call is `readOnly`, and if a call fails', async () => {
    const { source } = counted({ domain: 'board' });
    const calls = [
      { tool: 'mail.send' },
      { tool: 'board.list' },
      { tool: 'board.drop', args: { title: 'none' } },
    ];
    expect(new Set(await linesOf(calls, { context: [source] }))).toEqual(new Set(['[count]: 1']));
  });

  it('without a domain, is dropped by every successful call', async () => {
    const { source } = counted();
    const calls = [{ tool: 'mail.look' }, { tool: 'mail.send' }, addCard('A')];
    expect(await linesOf(calls, { context: [source] })).toEqual([
      '[count]: 1',
      '[count]: 1',
      '[count]: 2',
      '[count]: 3',
    ]);
  });

  it('is dropped by a rollback, an undo and a redo, because they change the app too', async () => {
    const { source, summary } = counted({ domain: 'board' });
    const answers = [callTools(addCard('A')), say('a'), say('b'), say('c')];
    await using f = fixture(answers, { domains: app(), context: [source] });
    await f.session.send('Go');
    await f.session.send('On');
    expect(summary).toHaveBeenCalledTimes(2);
    await f.session.undo();
    await f.session.redo();
    await f.session.send('On');
    expect(summary).toHaveBeenCalledTimes(3);
  });

  it('is dropped by a call that was cut and succeeds late; a line that is read meanwhile serves only its own request', async () => {
    const late = gatedTool('late');
    let answerRead: (text: string) => void = () => {};
    const summary = vi.fn(() => new Promise<string>((resolve) => (answerRead = resolve)));
    const source: ContextSource = { id: 'count', policy: cached(500), domain: 'slow', summary };
    await using f = fixture([callTools({ tool: 'slow.late' }), say('a'), say('b')], {
      domains: [{ id: 'slow', tools: [late] }],
      context: [source],
      limits: { toolTimeoutMs: 1_000 },
    });
    const turn = f.session.send('Go');
    await settle();
    answerRead('one');
    const run = await late.next();
    await f.clock.advance(1_000);
    expect(summary).toHaveBeenCalledTimes(2);
    run.settle();
    await settle();
    answerRead('two');
    await turn;
    const next = f.session.send('On');
    await settle();
    answerRead('three');
    await next;
    expect(f.provider.requests.map(({ system }) => system)).toEqual([
      '[count]: one',
      '[count]: two',
      '[count]: three',
    ]);
  });

  it('a source that failed is read again by the next request', async () => {
    const { source, summary } = counted();
    summary.mockRejectedValueOnce(new Error('offline'));
    await using f = fixture([say('a'), say('b')], { context: [source] });
    await f.session.send('Go');
    expect(f.session.lastContextDiagnostics.value).toHaveLength(1);
    await f.session.send('On');
    expect(f.provider.requests.map(({ system }) => system)).toEqual(['', '[count]: 1']);
    expect(f.session.lastContextDiagnostics.value).toEqual([]);
  });

  it('keeps its position among the other lines of a request', async () => {
    const { source } = counted();
    const now: ContextSource = { id: 'now', policy: 'always', summary: () => 'noon' };
    await using f = fixture([say('a'), say('b')], { context: [source, now] });
    await f.session.send('Go');
    await f.session.send('On');
    expect(f.provider.requests[1]?.system).toBe('[count]: 1\n[now]: noon');
  });
});

describe('a source on demand', () => {
  const cart: ContextSource = {
    id: 'cart',
    policy: 'onDemand',
    summary: () => 'two books',
    detail: () => 'Book one: 12.00\nBook two: 9.00',
  };

  it('AK-R6 a source on demand is in no request; the model reads it with `banister.read_context`', async () => {
    await using f = fixture([ask('cart'), say('x')], { context: [cart] });
    await f.session.send('Go');
    expect(f.provider.requests.map(({ system }) => system)).toEqual(['', '']);
    expect(f.provider.requests[0]?.tools.map(({ name }) => name)).toEqual(['banister.read_context']);
    expect(f.provider.requests[0]?.tools[0]?.description).toContain('"cart"');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([cart.detail!()]);
  });

  it('without a detail answers with its summary', async () => {
    const { detail: _detail, ...brief } = cart;
    await using f = fixture([ask('cart'), say('x')], { context: [brief] });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['two books']);
  });

  it('AK-R3 any source can have a detail; its line stays in each request', async () => {
    await using f = fixture([ask('cart'), say('x')], { context: [{ ...cart, policy: 'always' }] });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('[cart]: two books');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([cart.detail!()]);
  });

  it('AK-R7 a source that throws or is unknown gives an error result, and the turn continues', async () => {
    const broken: ContextSource = {
      ...cart,
      id: 'broken',
      detail: () => Promise.reject(new Error('offline')),
    };
    await using f = fixture([ask('broken'), ask('carts'), say('x')], { context: [cart, broken] });
    expect((await f.session.send('Go')).status).toBe('completed');
    const results = resultTexts(f.provider.requests[2]!);
    expect(results[0]).toMatch(/offline/);
    expect(results[1]).toMatch(/"carts".*"cart", "broken"/);
  });

  it('a source that takes longer than `contextTimeoutMs` is cut', async () => {
    const slow: ContextSource = { ...cart, detail: () => new Promise(() => {}) };
    await using f = fixture([ask('cart'), say('x')], { context: [slow], limits: { contextTimeoutMs: 500 } });
    const turn = f.session.send('Go');
    await f.clock.advance(500);
    await turn;
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/0.5 seconds/);
  });

  it('is guarded like any call: a guard may deny it, or the user is asked', async () => {
    const detail = vi.fn(() => 'text');
    await using denied = fixture([ask('cart'), say('x')], {
      context: [{ ...cart, detail }],
      guards: [denyTools('banister.read_context')],
    });
    await denied.session.send('Go');
    expect(detail).not.toHaveBeenCalled();
    await using asked = fixture([ask('cart'), say('x')], {
      context: [{ ...cart, detail }],
      guards: [confirmTools('banister.read_context')],
    });
    const turn = asked.session.send('Go');
    await settle();
    await asked.session.pendingConfirmation.value?.approve();
    await turn;
    expect(detail).toHaveBeenCalledTimes(1);
  });

  it('is read-only: reading leaves no effect, and no cached line ends', async () => {
    const { source, summary } = counted();
    await using f = fixture([ask('cart'), say('x')], { context: [cart, source] });
    await f.session.send('Go');
    expect(summary).toHaveBeenCalledTimes(1);
    expect(f.session.canUndo.value).toBe(false);
  });

  it('can be changed by `configure`; the tool disappears with the last such source', async () => {
    await using f = fixture([say('a'), say('b'), say('c')], { context: [cart] });
    await f.session.send('Go');
    f.session.configure({ context: [{ ...cart, id: 'list' }] });
    await f.session.send('On');
    f.session.configure({ context: [] });
    await f.session.send('On');
    expect(f.provider.requests.map(({ tools }) => tools[0]?.description ?? '')).toEqual([
      expect.stringContaining('"cart"'),
      expect.stringContaining('"list"'),
      '',
    ]);
  });
});

describe('wrong policies', () => {
  it.each([['never'], [{ ttlMs: 0 }], [{ ttl: 5 }], [undefined]])(
    '%j is refused with the name of the source',
    async (policy) => {
      await using f = fixture([]);
      const context = [{ id: 'a', policy, summary: () => '' }] as never;
      expect(() => f.session.configure({ context })).toThrow(/context\[0\]\.policy/);
    },
  );
});

describe('directives of a turn', () => {
  it('AK-R2 follow the role in each of its requests, and are in no other turn', async () => {
    await using f = fixture([callTools(addCard('A')), say('x'), say('y')], {
      domains: app(),
      role: 'You help.',
      context: [{ id: 'now', policy: 'always', summary: () => 'noon' }],
    });
    await f.session.send('Go', { directives: ['Answer in German.', 'Be brief.'] });
    await f.session.send('On');
    const whole = 'You help.\n\nAnswer in German.\nBe brief.\n\n[now]: noon';
    expect(f.provider.requests.map(({ system }) => system)).toEqual([
      whole,
      whole,
      'You help.\n\n[now]: noon',
    ]);
  });

  it('are kept in the record, and used again by regenerate, also after a reload', async () => {
    await using f = fixture([say('x')]);
    await f.session.send('Go', { directives: ['Be brief.'] });
    expect(f.session.turns.value[0]?.options).toEqual({ directives: ['Be brief.'] });
    await using again = fixture([say('y'), say('z')], { conversation: f.session.save() });
    await again.session.regenerate();
    expect(again.provider.requests[0]?.system).toBe('Be brief.');
    await again.session.regenerate();
    expect(again.provider.requests[1]?.system).toBe('Be brief.');
  });

  it('wait with their message in the queue', async () => {
    await using f = fixture([say('x'), say('y')]);
    void f.session.send('Go');
    const queued = f.session.enqueue('On', { directives: ['Be brief.'] });
    await settle();
    await f.clock.advance(1);
    await queued;
    expect(f.provider.requests.map(({ system }) => system)).toEqual(['', 'Be brief.']);
  });

  it('directives that are not a list of strings are refused', async () => {
    await using f = fixture([]);
    const error = await rejection(f.session.send('Go', { directives: [''] }));
    expect(error.code).toBe('invalid-configuration');
  });
});

describe('the provider of a turn', () => {
  it('a turn may have its own provider', async () => {
    await using f = fixture([say('a')]);
    await using other = fixture([say('b')], { scripted: { id: 'other', model: 'other-1' } });
    expect((await f.session.send('Go', { provider: other.provider })).text).toBe('b');
    expect((await f.session.send('On')).text).toBe('a');
    const started = f.observed.operations.filter((operation) => operation.type === 'turnStarted');
    expect(started.map(({ provider }) => provider.id)).toEqual(['other', 'scripted']);
  });

  it('is checked before anything happens: what it does not accept is unsupported', async () => {
    await using f = fixture([]);
    const blind = { ...f.provider, capabilities: { images: false } };
    const image = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
    const error = await rejection(f.session.send({ text: 'Look', images: [image] }, { provider: blind }));
    expect(error.code).toBe('unsupported');
    expect((await rejection(f.session.send('Go', { provider: {} as never }))).code).toBe(
      'invalid-configuration',
    );
    expect(f.observed.operations).toEqual([]);
  });

  it("can be passed to `retry`, which otherwise uses the session's provider", async () => {
    await using f = fixture([say('a')]);
    await using other = fixture([say('b')]);
    const broken = {
      ...f.provider,
      stream: () => {
        throw new Error('broken');
      },
    };
    await rejection(f.session.send('Go', { provider: broken }));
    expect((await f.session.retry({ provider: other.provider })).text).toBe('b');
    await f.session.regenerate();
    expect(f.provider.requests).toHaveLength(1);
  });
});
