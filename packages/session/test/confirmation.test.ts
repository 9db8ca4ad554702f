// Confirmation by signal.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  forcedGuard,
  gate,
  say,
  settle,
  spyTool,
  stall,
  type ScriptedCall,
  type SpyTool,
} from '@banister/testing';
import {
  confirmTools,
  UndoHistory,
  type Confirmation,
  type JsonValue,
  type SessionOptions,
} from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, resultTexts, type Fixture } from './fixture.js';

const work = (title: string): ScriptedCall => ({ tool: 'board.work', args: { title } });

function asking(
  calls: readonly ScriptedCall[],
  options: Partial<SessionOptions> = {},
): Fixture & { tool: SpyTool } {
  const tool = spyTool('work', {
    parameters: {
      type: 'object',
      properties: { title: { type: 'string' }, count: { type: 'integer' } },
      required: ['title'],
      additionalProperties: false,
    },
    execute: ({ title }) => `did ${String(title)}`,
  });
  const f = fixture([callTools(...calls), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
    guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    looseScript: true,
    ...options,
  });
  return { ...f, tool };
}

const open = async (f: Fixture): Promise<readonly Confirmation[]> => {
  await settle();
  return f.session.pendingConfirmations.value;
};
const titles = (tool: SpyTool) => tool.runs.map((run) => run.args.title);

describe('several requests', () => {
  it('one cannot be answered before it is opened', async () => {
    await using f = asking([work('A'), work('B')]);
    const answers: Promise<unknown>[] = [];
    f.session.operations$.subscribe((operation) => {
      if (operation.type !== 'confirmationRequested' || operation.request.id !== 'confirmation_1') return;
      answers.push(f.session.respond('confirmation_2', { approve: false }));
    });
    const turn = f.session.send('Go');
    const requests = await open(f);
    expect(await answers[0]).toBe('already-settled');
    expect(requests.map(({ id }) => id)).toEqual(['confirmation_1', 'confirmation_2']);
    for (const { id } of requests) await f.session.respond(id, { approve: true });
    await turn;
    expect(titles(f.tool)).toEqual(['A', 'B']);
  });

  it('several questions are open together, in call order', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    void f.session.send('Go');
    const requests = await open(f);
    expect(requests.map((request) => request.call.arguments.title)).toEqual(['A', 'B', 'C']);
    expect(f.session.pendingConfirmation.value).toBe(requests[0]);
    expect(f.session.phase.value).toBe('confirming');
    expect(f.session.activeToolCalls.value.map((call) => call.state)).toEqual([
      'waiting',
      'waiting',
      'waiting',
    ]);
    expect(f.tool.runs).toEqual([]);
  });

  it('are answered one by one in any order; the open ones stay, with their identity if nothing changed', async () => {
    await using f = asking([work('A'), work('B'), work('C')], {
      limits: { confirmationTimeoutMs: Infinity },
    });
    const turn = f.session.send('Go');
    const [a, b, c] = await open(f);
    expect(await b!.approve()).toBe('accepted');
    expect(f.session.pendingConfirmations.value).toEqual([a, c]);
    expect(f.session.pendingConfirmation.value).toBe(a);
    expect(f.session.pendingConfirmations.value[1]).toBe(c);
    expect(f.tool.runs).toEqual([]);
    void c!.approve();
    void a!.approve();
    await turn;
    expect(titles(f.tool)).toEqual(['A', 'B', 'C']);
  });

  it('are answered all at once', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    const turn = f.session.send('Go');
    const answers = await Promise.all((await open(f)).map((request) => request.approve()));
    expect(answers).toEqual(['accepted', 'accepted', 'accepted']);
    await turn;
    expect(titles(f.tool)).toEqual(['A', 'B', 'C']);
    expect(f.session.pendingConfirmation.value).toBeNull();
  });

  it('C4 one of three denied: the other two run, the model reads the reason, one request follows', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    const turn = f.session.send('Go');
    const [a, b, c] = await open(f);
    void a!.approve();
    void b!.deny('Not this one.');
    void c!.approve();
    expect((await turn).status).toBe('completed');
    expect(titles(f.tool)).toEqual(['A', 'C']);
    expect(f.provider.requests).toHaveLength(2);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'did A',
      expect.stringMatching(/declined.*Not this one\./),
      'did C',
    ]);
  });

  it('calls without a question wait with the others', async () => {
    await using f = asking([work('A'), work('B')], {
      guards: [forcedGuard('ask', (call) => (call.arguments.title === 'B' ? { confirm: 'Sure?' } : 'allow'))],
    });
    const turn = f.session.send('Go');
    const [b] = await open(f);
    expect(f.tool.runs).toEqual([]);
    void b!.approve();
    await turn;
    expect(titles(f.tool)).toEqual(['A', 'B']);
  });
});

describe('an answer', () => {
  it('C1 the first one wins: approve twice, approve then deny, deny then approve', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    const turn = f.session.send('Go');
    const [a, b, c] = await open(f);
    expect(await Promise.all([a!.approve(), a!.approve()])).toEqual(['accepted', 'already-settled']);
    expect(await Promise.all([b!.approve(), b!.deny()])).toEqual(['accepted', 'already-settled']);
    expect(await Promise.all([c!.deny(), c!.approve()])).toEqual(['accepted', 'already-settled']);
    await turn;
    expect(titles(f.tool)).toEqual(['A', 'B']);
  });

  it('C2 after a cancel is refused, nothing runs', async () => {
    await using f = asking([work('A')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    await f.session.cancel();
    expect(await a!.approve()).toBe('already-settled');
    expect(await a!.deny()).toBe('already-settled');
    await rejection(turn);
    await settle();
    expect(f.tool.runs).toEqual([]);
  });

  it('C2 while the effects of a cancelled turn are rolled back is refused', async () => {
    const slow = gate();
    const first = spyTool('first', {
      execute: (_args, { undo }) => undo({ description: 'First', revert: () => slow.pass() }),
    });
    await using f = fixture([callTools({ tool: 'board.first' }), callTools({ tool: 'board.second' })], {
      domains: [{ id: 'board', tools: [first, spyTool('second')] }],
      guards: [confirmTools('board.second')],
    });
    const turn = rejection(f.session.send('Go'));
    await settle();
    const { id } = f.session.pendingConfirmation.value!;
    void f.session.cancel();
    await slow.reached;
    expect(f.session.phase.value).toBe('rolling-back');
    expect(await f.session.respond(id, { approve: true })).toBe('already-settled');
    slow.open();
    await turn;
    const resolved = f.observed.operations.filter(({ type }) => type === 'confirmationResolved');
    expect(resolved).toMatchObject([{ decision: 'cancelled' }]);
  });

  it('C2 after the timeout is refused, nothing runs', async () => {
    await using f = asking([work('A')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    await f.clock.advance(45_000);
    expect(await a!.approve()).toBe('already-settled');
    await turn;
    expect(f.tool.runs).toEqual([]);
  });

  it('settles the request before the call returns; the promise resolves to the outcome', async () => {
    await using f = asking([work('A'), work('B')]);
    const turn = f.session.send('Go');
    const [a, b] = await open(f);
    const outcome = a!.approve();
    expect(f.session.pendingConfirmations.value).toEqual([expect.objectContaining({ id: b!.id })]);
    expect(f.observed.types.at(-1)).toBe('confirmationResolved');
    expect(await outcome).toBe('accepted');
    const response = f.session.respond(b!.id, { approve: false });
    expect(f.session.state.pendingConfirmations).toEqual([]);
    expect(await response).toBe('accepted');
    await turn;
  });

  it('never throws at once: a check that throws rejects the promise, which may be ignored', async () => {
    const broken = {
      compile: () => (value: JsonValue) => {
        if (isJsonObject(value) && value.title === 'Broken') throw new Error('check');
        return [];
      },
    };
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      ports: { validator: broken },
    });
    const turn = f.session.send('Go');
    await settle();
    const request = f.session.pendingConfirmation.value!;
    void request.approve({ arguments: { title: 'Broken' } });
    await expect(request.approve({ arguments: { title: 'Broken' } })).rejects.toThrow('check');
    expect(await request.approve()).toBe('accepted');
    await turn;
  });

  it('C5 C10 to an id that was never given is refused', async () => {
    await using f = asking([work('A')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    expect(await f.session.respond('confirmation_99', { approve: true })).toBe('already-settled');
    expect(await f.session.respond(a!.call.id, { approve: true })).toBe('already-settled');
    expect(f.tool.runs).toEqual([]);
    void a!.deny();
    await turn;
  });

  it('C5 ids are unguessable by default', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 2; i++) {
      await using f = asking([work('A')], { ports: { ids: undefined } });
      void f.session.send('Go');
      const [a] = await open(f);
      expect(a!.id).toMatch(/[0-9a-f]{32}$/);
      ids.add(a!.id);
    }
    expect(ids.size).toBe(2);
  });

  it('respond is what approve and deny call; detached it works too', async () => {
    await using f = asking([work('A'), work('B')]);
    const turn = f.session.send('Go');
    const [a, b] = await open(f);
    const { respond } = f.session;
    const { approve } = b!;
    expect(await respond(a!.id, { approve: false, reason: 'no' })).toBe('accepted');
    expect(await approve()).toBe('accepted');
    await turn;
    expect(titles(f.tool)).toEqual(['B']);
  });

  it.each([
    ['nothing', undefined],
    ['true', true],
    ['a truthy approve', { approve: 'yes' }],
    ['1', { approve: 1 }],
  ])('C6 only a plain approve: true approves; %s denies', async (_name, decision) => {
    await using f = asking([work('A')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    expect(await f.session.respond(a!.id, decision as never)).toBe('accepted');
    await turn;
    expect(f.tool.runs).toEqual([]);
  });

  it('given inside the subscriber of confirmationRequested is accepted', async () => {
    await using f = asking([work('A'), work('B')]);
    f.session.operations$.subscribe((op) => {
      if (op.type === 'confirmationRequested') void f.session.respond(op.request.id, { approve: true });
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(titles(f.tool)).toEqual(['A', 'B']);
  });

  it('is in the operation, with its source: user or timeout', async () => {
    await using f = asking([work('A'), work('B')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    void a!.deny('no');
    await f.clock.advance(45_000);
    await turn;
    const resolved = f.observed.operations.filter((op) => op.type === 'confirmationResolved');
    expect(resolved).toMatchObject([
      { requestId: a!.id, decision: 'denied', by: 'user', reason: 'no' },
      { decision: 'timed-out', by: 'timeout' },
    ]);
  });
});

describe('time', () => {
  it('45 s without an answer denies, and the model reads the reason', async () => {
    await using f = asking([work('A')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    expect(a!.expiresAt).toBe(f.clock.now() + 45_000);
    await f.clock.advance(44_999);
    expect(f.session.pendingConfirmation.value).not.toBeNull();
    await f.clock.advance(1);
    expect((await turn).status).toBe('completed');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([expect.stringMatching(/did not answer in time/)]);
    const rejected = f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : []));
    expect(rejected).toMatchObject([{ reason: 'confirmation-timeout' }]);
  });

  it('the timer restarts for the others at each answer, and expiresAt follows', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    const turn = f.session.send('Go');
    const [a] = await open(f);
    await f.clock.advance(40_000);
    void a!.approve();
    const left = f.session.pendingConfirmations.value;
    expect(left.map((request) => request.expiresAt)).toEqual(left.map(() => f.clock.now() + 45_000));
    await f.clock.advance(44_999);
    expect(f.session.pendingConfirmations.value).toHaveLength(2);
    await f.clock.advance(1);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await turn;
    expect(titles(f.tool)).toEqual(['A']);
  });

  it('a refused answer restarts nothing', async () => {
    await using f = asking([work('A'), work('B')]);
    const turn = f.session.send('Go');
    const [a, b] = await open(f);
    await f.clock.advance(40_000);
    expect(await a!.approve({ arguments: {} })).toEqual({ errors: expect.any(Array) });
    expect(f.session.pendingConfirmations.value.map((request) => request.expiresAt)).toEqual([
      a!.expiresAt,
      b!.expiresAt,
    ]);
    await f.clock.advance(5_000);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await turn;
    expect(f.tool.runs).toEqual([]);
  });

  it('silence is no answer: requests without one are all denied after 45 s', async () => {
    await using f = asking([work('A'), work('B'), work('C')]);
    void f.session.send('Go');
    await open(f);
    await f.clock.advance(45_000);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    expect(f.session.lastOutcome.value?.status).toBe('completed');
  });

  it('Infinity waits for ever, without a timer', async () => {
    await using f = asking([work('A')], { limits: { confirmationTimeoutMs: Infinity } });
    const turn = f.session.send('Go');
    const [a] = await open(f);
    expect(a!.expiresAt).toBeNull();
    await f.clock.advance(30 * 24 * 3_600_000);
    expect(await a!.approve()).toBe('accepted');
    await turn;
    expect(titles(f.tool)).toEqual(['A']);
  });

  it("the turn's clock stops while any request is open, and goes on afterwards", async () => {
    const more = gate();
    await using f = asking([work('A')], { limits: { timeoutMs: 10_000, confirmationTimeoutMs: Infinity } });
    f.provider.push(stall());
    const turn = f.session.send('Go');
    const [a] = await open(f);
    await f.clock.advance(3_600_000);
    expect(f.session.isRunning.value).toBe(true);
    void a!.approve();
    expect((await turn).status).toBe('completed');
    more.open();
    expect(f.session.budget.value.timeMs.spent).toBe(0);
  });
});

describe('the conversation afterwards', () => {
  it('a declined call has its result in place; the turn commits the effects of the others', async () => {
    await using f = asking([work('A'), work('B')], { history: new UndoHistory() });
    const turn = f.session.send('Go');
    const [a, b] = await open(f);
    void a!.deny();
    void b!.approve();
    await turn;
    const [, , results] = f.session.conversation.value.messages;
    expect(results?.parts).toMatchObject([
      { type: 'tool-result', outcome: 'rejected' },
      { type: 'tool-result', outcome: 'success' },
    ]);
    // The record has the reason, which a view can put into its own words, and which is saved.
    const rejections = (turns: typeof f.session.turns.value) =>
      turns[0]?.rounds[0]?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.rejection] : []));
    expect(rejections(f.session.turns.value)).toEqual(['declined', undefined]);
    await using again = fixture([], { conversation: f.session.save() });
    expect(rejections(again.session.turns.value)).toEqual(['declined', undefined]);
  });
});
