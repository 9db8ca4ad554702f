// Answers with far more calls than a model should make: the turn ends, and a limit bounds their number.
import { createCompiledValidator } from '@banister/schema/compiled';
import { describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  createManualScheduler,
  createSequentialIds,
  createVirtualClock,
  finishWith,
  forcedGuard,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  spyTool,
  type AnswerSource,
  type ScriptedCall,
} from '@banister/testing';
import { createAgentSession, stop, type Limits, type SessionOptions, type Tool } from '@banister/session';
import type { RejectedCall } from '../src/operations/tool-operations.js';
import { loadMatcher } from '../src/tools/pattern-matcher.js';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, resultTexts } from './fixture.js';

const raised: Partial<Limits> = { maxToolCalls: Infinity, maxCallsPerAnswer: Infinity };
const calls = (count: number, tool = 'work'): readonly ScriptedCall[] =>
  Array.from({ length: count }, (_, n) => ({ tool: `board.${tool}`, args: { n }, fragment: Infinity }));
const domain = (...tools: readonly Tool[]): Pick<SessionOptions, 'domains'> => ({
  domains: [{ id: 'board', tools }],
});
/** A session without the checks of `fixture`, which would take longer than thousands of operations do. */
function crowd(answers: readonly AnswerSource[], options: Partial<SessionOptions> = {}) {
  const provider = scriptedProvider(answers, { validate: false });
  const clock = createVirtualClock();
  const session = createAgentSession({
    provider,
    ...options,
    limits: { ...raised, timeoutMs: Infinity, confirmationTimeoutMs: Infinity, ...options.limits },
    ports: {
      clock,
      ids: createSequentialIds(),
      scheduler: createManualScheduler(),
      validator: createCompiledValidator(loadMatcher),
    },
  });
  const rejected: RejectedCall[] = [];
  session.operations$.subscribe((op) => {
    if (op.type === 'toolsRejected') rejected.push(...op.calls);
  });
  return { session, provider, rejected, clock, [Symbol.asyncDispose]: () => session.dispose() };
}

describe('C2: an answer with thousands of calls', () => {
  it('C2: with `maxCallsPerAnswer: Infinity`, 3,000 calls of one answer run, each with its result', async () => {
    const work = spyTool('work', { execute: () => 'done' });
    await using f = crowd([callTools(...calls(3_000)), say('Done.')], domain(work));
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(work.runs).toHaveLength(3_000);
    expect(resultTexts(f.provider.requests[1]!)).toHaveLength(3_000);
  });

  it('C2: a tool that stops the turn leaves 2,999 calls not run', async () => {
    const work = spyTool('work', { execute: () => stop('Enough.') });
    await using f = crowd([callTools(...calls(3_000))], domain(work));
    expect((await f.session.send('Go')).status).toBe('stopped');
    expect(work.runs).toHaveLength(1);
    expect(f.rejected).toHaveLength(2_999);
  });

  it('C2: a cancel during the first of 2,000 calls ends the turn when that call settles', async () => {
    const work = gatedTool('work');
    await using f = crowd([callTools(...calls(2_000))], domain(work));
    const turn = f.session.send('Go');
    const run = await work.next();
    const report = f.session.cancel();
    run.settle();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect((await report).landed).toBe('executing');
    expect(work.runs).toHaveLength(1);
  });

  it('C2: an abort during the first of 2,000 calls ends the turn at once, and the session stays usable', async () => {
    const work = gatedTool('work');
    await using f = crowd([callTools(...calls(2_000)), say('Next.')], domain(work));
    const turn = rejection(f.session.send('Go'));
    await work.next();
    expect((await f.session.cancel({ immediate: true })).landed).toBe('executing');
    expect((await turn).code).toBe('cancelled');
    expect(work.runs).toHaveLength(1);
    expect((await f.session.send('On')).text).toBe('Next.');
  });

  it('C2: the time limit during the first of 2,000 calls ends the turn, and the session stays usable', async () => {
    const work = gatedTool('work', { abortable: true });
    await using f = crowd([callTools(...calls(2_000)), say('Next.')], {
      ...domain(work),
      limits: { timeoutMs: 1_000, toolTimeoutMs: 60_000 },
    });
    const turn = rejection(f.session.send('Go'));
    await work.next();
    await f.clock.advance(999);
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    expect((await turn).code).toBe('timeout');
    expect(work.runs).toHaveLength(1);
    expect((await f.session.send('On')).text).toBe('Next.');
  });

  it('C2: a guard decides one call, and 2,999 calls of unknown tools follow', async () => {
    const work = spyTool('work', { execute: () => 'done' });
    await using f = crowd([callTools(...calls(1), ...calls(2_999, 'nowhere')), say('Sorry.')], {
      ...domain(work),
      guards: [forcedGuard('g', 'allow')],
    });
    expect((await f.session.send('Go')).text).toBe('Sorry.');
    expect(work.runs).toHaveLength(1);
    expect(f.rejected).toHaveLength(2_999);
  });

  it('C2: a handler answers 2,000 questions', async () => {
    const work = spyTool('work', { execute: () => 'done' });
    await using f = crowd([callTools(...calls(2_000)), say('Done.')], {
      ...domain(work),
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: () => ({ approve: true }),
    });
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(work.runs).toHaveLength(2_000);
  });

  it('C2: a cancel while the handler decides about the first of 2,000 calls lets only that call run', async () => {
    const work = spyTool('work', { execute: () => 'done' });
    await using f = crowd([callTools(...calls(2_000))], {
      ...domain(work),
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: () => {
        void f.session.cancel();
        return { approve: true };
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(work.runs).toHaveLength(1);
    expect(f.rejected).toHaveLength(1_999);
  });

  it('C2: 1,000 questions are open together and are answered one by one', async () => {
    const work = spyTool('work', { execute: () => 'done' });
    await using f = crowd([callTools(...calls(1_000)), say('Done.')], {
      ...domain(work),
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    await settle(10_000);
    const open = f.session.state.pendingConfirmations;
    expect(open).toHaveLength(1_000);
    for (const { id } of open) void f.session.respond(id, { approve: false });
    expect((await turn).text).toBe('Done.');
    expect(f.rejected).toHaveLength(1_000);
  });

  it('C2: a tool inside an answer that stops the turn leaves 1,999 calls not run', async () => {
    const work = gatedTool('work');
    await using f = crowd([finishWith('stop', callInside(...calls(2_000)))], domain(work));
    const turn = f.session.send('Go');
    const run = await work.next();
    // By then every call has arrived and waits.
    await settle(10_000);
    run.settle(stop('Enough.'));
    expect((await turn).status).toBe('stopped');
    expect(f.rejected).toHaveLength(1_999);
  });
});

describe('maxCallsPerAnswer', () => {
  it('C2: an answer with 128 calls is accepted', async () => {
    await using f = fixture([callTools(...calls(128, 'nowhere')), say('Sorry.')]);
    expect((await f.session.send('Go')).text).toBe('Sorry.');
  });

  it.each([
    ['at the end of an answer', callTools('Text.', ...calls(129))],
    ['inside an answer', finishWith('stop', 'Text.', callInside(...calls(129)))],
  ] as const)('C2: the 129th call %s fails the turn', async (_name, answer) => {
    const work = gatedTool('work');
    await using f = fixture([answer], { ...domain(work), limits: { maxToolCalls: Infinity } });
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({
      code: 'max-calls-per-answer',
      retry: 'after-action',
      details: { limit: 128 },
    });
    expect(f.session.lastOutcome.value?.rounds).toBe(1);
    for (const run of work.runs) run.settle();
    await settle();
  });

  it("C2: with onTrip 'stop' the text stays and none of the calls runs", async () => {
    const board = createBoard();
    await using f = fixture([callTools('Text.', addCard('A'), addCard('B'), addCard('C')), say('Fine.')], {
      domains: [board.domain()],
      limits: { maxCallsPerAnswer: 2, onTrip: 'stop' },
    });
    expect(await f.session.send('Go')).toMatchObject({
      status: 'stopped',
      text: 'Text.',
      stop: { kind: 'limit', message: 'The model asked for more than 2 tool calls in one answer.' },
    });
    expect(board.titles).toEqual([]);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Text.']);
    expect((await f.session.send('Next')).text).toBe('Fine.');
  });

  it('counts anew in each answer', async () => {
    const board = createBoard();
    await using f = fixture(
      [callTools(addCard('A'), addCard('B')), callTools(addCard('C'), addCard('D')), say('Done.')],
      { domains: [board.domain()], limits: { maxCallsPerAnswer: 2 } },
    );
    await f.session.send('Go');
    expect(board.titles).toEqual(['A', 'B', 'C', 'D']);
  });
});
