// A machine that sleeps, and a network that is away for long: all timers that were due meanwhile fire at once.
import { describe, expect, it } from 'vitest';
import { AgentSessionError, confirmTools, type Limits } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import {
  callTools,
  createVirtualClock,
  fail,
  gate,
  say,
  settle,
  spyTool,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { fixture, rejection } from './fixture.js';

const tenMinutes = 600_000;

describe('after a long sleep', () => {
  it('W21 a turn that stood still ends once, as timed out, and the next one runs', async () => {
    await using f = fixture([stall('Hel'), say('Done.')]);
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.clock.advance(tenMinutes);
    expect((await turn).code).toBe('timeout');
    expect(f.observed.operations.filter(isTerminal)).toHaveLength(1);
    expect(f.provider.requests).toHaveLength(1);
    expect((await f.session.send('Again')).text).toBe('Done.');
  });

  it('W21 questions without an answer are denied, each once, and nothing runs', async () => {
    const tool = spyTool('work');
    await using f = fixture([callTools({ tool: 'board.work' }, { tool: 'board.work' }), say('I see.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [confirmTools('board.work')],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(tenMinutes);
    expect((await turn).text).toBe('I see.');
    const resolved = f.observed.operations.flatMap((op) =>
      op.type === 'confirmationResolved' ? [op.decision] : [],
    );
    expect(resolved).toEqual(['timed-out', 'timed-out']);
    expect(tool.runs).toEqual([]);
  });

  it('H12 a retry that was due long ago is one request, not as many as would have fitted', async () => {
    const offline = fail(new AgentSessionError('network', 'There is no network.'));
    await using f = fixture([offline, say('Done.')], { limits: { timeoutMs: Infinity } });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(60 * tenMinutes);
    expect((await turn).text).toBe('Done.');
    expect(f.provider.requests).toHaveLength(2);
  });
});

/** A session whose wall clock can jump, while its timers and its monotonic clock go on evenly. */
function jumping(answers: readonly AnswerSource[], limits: Partial<Limits> = {}) {
  const even = createVirtualClock(tenMinutes);
  let shift = 0;
  const tool = spyTool('work');
  const f = fixture(answers, {
    domains: [{ id: 'board', tools: [tool] }],
    guards: [confirmTools('board.work')],
    limits,
    ports: {
      clock: { now: () => even.now() + shift, monotonic: () => even.now(), schedule: even.schedule },
    },
  });
  return { f, even, tool, jump: (ms: number) => void (shift += ms) };
}

describe('C21: a wall clock that jumps', () => {
  it('C21: a jump ahead fails no turn at the answer to its next question', async () => {
    const [more, last] = [gate(), gate()];
    const { f, even, tool, jump } = jumping([
      callTools(more, { tool: 'board.work' }),
      say(['Do', last, 'ne.']),
    ]);
    await using _ = f;
    const turn = f.session.send('Go');
    await even.advance(5_000);
    jump(8 * 3_600_000);
    more.open();
    await even.advance(1_000);
    void f.session.pendingConfirmation.value?.approve();
    await even.advance(2_000);
    last.open();
    expect((await turn).text).toBe('Done.');
    expect(tool.runs).toHaveLength(1);
    expect(f.session.budget.value.timeMs).toEqual({ spent: 7_000, left: 53_000 });
  });

  it('C21: a wall clock that jumps back gives a turn no more time', async () => {
    const more = gate();
    const { f, even, jump } = jumping([callTools(more, { tool: 'board.work' }), stall('x')]);
    await using _ = f;
    const turn = rejection(f.session.send('Go'));
    await even.advance(4_000);
    jump(-tenMinutes);
    more.open();
    await even.advance(1_000);
    void f.session.pendingConfirmation.value?.approve();
    await even.advance(0);
    expect(f.session.phase.value).toBe('streaming');
    expect(f.session.budget.value.timeMs).toEqual({ spent: 4_000, left: 56_000 });
    await even.advance(55_999);
    expect(f.session.isRunning.value).toBe(true);
    await even.advance(1);
    expect((await turn).code).toBe('timeout');
  });

  it('C21: timestamps and expiresAt are wall time', async () => {
    const { f, even, jump } = jumping([callTools({ tool: 'board.work' }), say('Done.')]);
    await using _ = f;
    jump(1_000);
    const turn = f.session.send('Go');
    await even.advance(0);
    expect(f.observed.operations[0]?.at).toBe(tenMinutes + 1_000);
    expect(f.session.pendingConfirmation.value?.expiresAt).toBe(tenMinutes + 46_000);
    void f.session.pendingConfirmation.value?.deny();
    await turn;
  });
});
