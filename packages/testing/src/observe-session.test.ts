import { createAgentSession, type AgentSession, type Operation } from '@banister/session';
import { Subject } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { observe } from './observe-session.js';
import { callTools, fail, stall } from './scripted-answer.js';
import { scriptedProvider, type AnswerSource } from './scripted-provider.js';
import { createSequentialIds } from './sequential-ids.js';
import { spyTool } from './spy-tool.js';
import { createVirtualClock } from './virtual-clock.js';

function start(...answers: readonly AnswerSource[]) {
  const clock = createVirtualClock();
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [{ id: 'board', tools: [spyTool('add')] }],
    ports: { clock, ids: createSequentialIds() },
  });
  return { clock, session, observed: observe(session, { clock }) };
}

describe('an observed session', () => {
  test('AK-K1 shows everything that happened', async () => {
    const { session, observed } = start(callTools({ tool: 'board.add' }), 'Done.');
    await session.send('Add');
    expect(observed.types[0]).toBe('turnStarted');
    expect(observed.types.at(-1)).toBe('completed');
    expect(observed.operations.map(({ sequence }) => sequence)).toEqual(
      observed.operations.map((_, i) => i + 1),
    );
    expect(observed.problems).toEqual([]);
    observed.dispose();
  });

  test('has no problems when its turns fail or are cancelled', async () => {
    const { session, observed } = start(fail('auth'), stall('Hel'));
    await expect(session.send('One')).rejects.toMatchObject({ code: 'auth' });
    const second = session.send('Two');
    await observed.until('text');
    await session.cancel();
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
    observed.dispose();
  });

  test('can wait for an operation, even if it has already happened', async () => {
    const { session, observed } = start('Hello.');
    const text = observed.until('text');
    void session.send('Hi');
    expect((await text).delta).toBe('Hello.');
    const { usage } = await observed.until('completed');
    expect(usage).toBeNull();
    expect((await observed.until(({ type }) => type === 'text')).type).toBe('text');
    observed.dispose();
  });

  test('rejects the wait for an operation that never comes', async () => {
    const { session, observed } = start();
    const waiting = observed.until('completed');
    await session.dispose();
    await expect(waiting).rejects.toThrow('The session was disposed');
    await expect(observed.until('completed')).rejects.toThrow('never came');
  });

  test('must have no open timers', async () => {
    const { clock, session, observed } = start('Hello.');
    await session.send('Hi');
    observed.check();
    clock.schedule(() => {}, 1);
    expect(() => observed.check()).toThrow('open timers though nothing runs: 1');
  });
});

describe('an observation reports', () => {
  /** A session whose operations or signals a test changes. */
  function faulty(change: (session: AgentSession) => Partial<AgentSession>) {
    const operations$ = new Subject<Operation>();
    const session = createAgentSession({ provider: scriptedProvider([]) });
    const spoiled: AgentSession = Object.create(
      session,
      Object.getOwnPropertyDescriptors({ operations$, ...change(session) }),
    );
    const observed = observe(spoiled);
    const say = (operation: unknown) => operations$.next(operation as Operation);
    return { observed, say, operations$ };
  }
  const started = {
    type: 'turnStarted',
    turnId: 't1',
    sequence: 1,
    at: 0,
    input: { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    limits: {},
    provider: { id: 'p', model: 'm' },
    budget: {},
  };

  test('operations out of order', () => {
    const { observed, say } = faulty(() => ({}));
    say({ ...started, type: 'text', delta: 'Hi' });
    expect(observed.problems[0]).toBe('#1 text: turn t1 has not begun');
    expect(() => observed.dispose()).toThrow('has not begun');
  });

  test('operations that cannot be folded', () => {
    const { observed, say } = faulty(() => ({}));
    say(started);
    say({
      ...started,
      sequence: 2,
      type: 'contextRefreshed',
      get diagnostics() {
        throw new Error('unreadable');
      },
    });
    expect(observed.problems.join()).toContain('#2 contextRefreshed: it cannot be folded: Error: unreadable');
    expect(() => observed.dispose()).toThrow('unreadable');
  });

  test('a conversation that no API accepts', () => {
    const { observed, say } = faulty(() => ({}));
    say(started);
    say({
      ...started,
      sequence: 2,
      type: 'messagesAppended',
      messages: [{ id: 'm2', role: 'user', parts: [] }],
    });
    expect(observed.problems).toEqual([
      expect.stringContaining('#2 messagesAppended: messages[0] (user): it has no parts'),
    ]);
  });

  test('a state that differs from the folded operations', () => {
    const { observed, say } = faulty(() => ({}));
    say(started);
    expect(() => observed.check()).toThrow(
      'folding the operations does not give the state; see sequence, isRunning',
    );
  });

  test('signals that are outdated', () => {
    const { observed } = faulty((session) => ({ state: { ...session.state, currentText: 'unpublished' } }));
    expect(() => observed.check()).toThrow('signals are behind the state: currentText');
  });

  test('a stream of operations that errors', () => {
    const { observed, operations$ } = faulty(() => ({}));
    operations$.error(new Error('Broken.'));
    expect(() => observed.check()).toThrow('must never error');
  });
});
