// Publication: when signals change, what readers may see, and identity.
import { describe, expect, it, vi } from 'vitest';
import {
  callTools,
  createManualScheduler,
  fail,
  finishWith,
  gate,
  gatedTool,
  say,
  settle,
  stall,
} from '@banister/testing';
import { effect, UndoHistory, type Operation } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { isTerminal } from '@banister/session/operations';
import { textPieces } from '@banister/session/view';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, rejection } from './fixture.js';

function framed(...[answers, options = {}]: Parameters<typeof fixture>) {
  const scheduler = createManualScheduler();
  const f = fixture(answers, { ...options, ports: { scheduler, ...options.ports } });
  return { f, scheduler };
}

/** Follows a signal, as a view does. */
const follow = (signal: ReadonlySignal<unknown>) => effect(() => void signal.value);

describe('signals publish', () => {
  it('deltas at most once per frame', async () => {
    const more = gate();
    const { f, scheduler } = framed([say(['a', 'b', 'c', more, 'd'])]);
    await using _ = f;
    const seen: string[] = [];
    const stop = effect(() => void seen.push(f.session.currentText.value));
    const turn = f.session.send('Go');
    await more.reached;
    expect(f.session.state.currentText).toBe('abc');
    // The first delta at once, the others with the frame.
    expect(seen).toEqual(['', 'a']);
    expect(scheduler.scheduled).toBe(true);
    scheduler.frame();
    expect(seen).toEqual(['', 'a', 'abc']);
    more.open();
    await turn;
    stop();
    expect(seen).toEqual(['', 'a', 'abc', 'abcd']);
    // Nothing waits for a frame any more.
    expect(scheduler.scheduled).toBe(false);
  });

  it('Q4: the first delta at once, if no delta was published for a frame', async () => {
    const [second, third] = [gate(), gate()];
    const { f, scheduler } = framed([say(['a', second, 'b', 'c', third, 'd'])]);
    await using _ = f;
    const seen: string[] = [];
    const stop = effect(() => void seen.push(f.session.currentText.value));
    const turn = f.session.send('Go');
    await second.reached;
    expect(seen).toEqual(['', 'a']);
    // A frame without a delta, and then a delta that finds nothing published in the frame before.
    scheduler.frame();
    expect(scheduler.scheduled).toBe(false);
    second.open();
    await third.reached;
    expect(seen).toEqual(['', 'a', 'ab']);
    scheduler.frame();
    expect(seen).toEqual(['', 'a', 'ab', 'abc']);
    expect(scheduler.scheduled).toBe(true);
    third.open();
    await turn;
    stop();
  });

  it('Q4: a delta after another operation only when the open frame ends', async () => {
    const slow = gatedTool('slow');
    const { f, scheduler } = framed([callTools('a', { tool: 'board.slow', args: {} }), say('x')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    await using _ = f;
    const progress: unknown[] = [];
    const stop = effect(() => void progress.push(f.session.activeToolCalls.value[0]?.progress));
    const turn = f.session.send('Go');
    const run = await slow.next();
    run.context.progress(1);
    expect(progress.at(-1)).toBeUndefined();
    scheduler.frame();
    expect(progress.at(-1)).toBe(1);
    run.settle();
    await turn;
    stop();
  });

  it('Q4: the first delta of the next turn is published at once', async () => {
    const more = gate();
    const { f } = framed([say(['a', 'b']), say(['c', more])]);
    await using _ = f;
    await f.session.send('Go');
    const turn = f.session.send('Next');
    await more.reached;
    expect(f.session.currentText.value).toBe('c');
    more.open();
    await turn;
  });

  it('C5: usage after every delta at most once per frame', async () => {
    const more = gate();
    const chunks = Array.from({ length: 200 }, (_, index) => [
      'x',
      { type: 'usage', usage: { inputTokens: 5, outputTokens: index + 1 } } as const,
    ]);
    const { f, scheduler } = framed([finishWith('stop', ...chunks.flat(), more)]);
    await using _ = f;
    let publications = -1;
    const { currentText, lastUsageReport, budget, liveTurn } = f.session;
    const stop = effect(() => {
      void [currentText.value, lastUsageReport.value, budget.value, liveTurn.value];
      publications++;
    });
    atOperation(f.session, 'modelCallStarted', () => (publications = 0));
    const turn = f.session.send('Go');
    await more.reached;
    expect(publications).toBe(1);
    expect(f.session.state.lastUsageReport).toEqual({ inputTokens: 5, outputTokens: 200 });
    scheduler.frame();
    expect(publications).toBe(2);
    expect(lastUsageReport.value).toEqual({ inputTokens: 5, outputTokens: 200 });
    expect(currentText.value).toHaveLength(200);
    more.open();
    await turn;
    stop();
  });

  it('C5: no operation for a usage report that equals the previous report', async () => {
    const usage = (outputTokens: number) =>
      ({ type: 'usage', usage: { outputTokens, cost: { amount: 1, currency: 'EUR' } } }) as const;
    await using f = fixture([finishWith('stop', usage(1), usage(1), 'x', usage(1), usage(2), usage(2))]);
    await f.session.send('Go');
    const reports = f.observed.operations.flatMap((op) => (op.type === 'usage' ? [op.report] : []));
    expect(reports).toEqual([usage(1).usage, usage(2).usage]);
    expect(f.session.lastUsageReport.value).toEqual(usage(2).usage);
  });

  it('nothing between two frames: a first read in between shows the published state', async () => {
    const [first, second] = [gate(), gate()];
    const { f, scheduler } = framed([say(['o', 'ne', first, ' two', second, '.'])]);
    await using _ = f;
    const stop = follow(f.session.currentText);
    const turn = f.session.send('Go');
    await first.reached;
    scheduler.frame();
    first.open();
    await second.reached;
    const shown = f.session.liveTurn.value?.rounds[0]?.parts;
    expect(shown).toEqual([{ type: 'text', text: 'one' }]);
    expect(f.session.currentText.value).toBe('one');
    scheduler.frame();
    expect(f.session.liveTurn.value?.rounds[0]?.parts).toEqual([{ type: 'text', text: 'one two' }]);
    expect(f.session.currentText.value).toBe('one two');
    second.open();
    await turn;
    stop();
  });

  it('argument deltas and tool progress at most once per frame', async () => {
    const slow = gatedTool('slow');
    const { f, scheduler } = framed(
      [callTools({ tool: 'board.slow', args: { title: 'a long one' }, fragment: 2 }), say('x')],
      {
        domains: [{ id: 'board', tools: [slow] }],
      },
    );
    await using _ = f;
    let publications = 0;
    const stop = effect(() => {
      void f.session.activeToolCalls.value;
      publications++;
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    const before = publications;
    expect(before).toBeLessThan(6);
    for (let percent = 0; percent < 50; percent++) run.context.progress({ percent });
    expect(publications).toBe(before);
    scheduler.frame();
    expect(publications).toBe(before + 1);
    expect(f.session.activeToolCalls.value[0]?.progress).toEqual({ percent: 49 });
    run.settle();
    await turn;
    stop();
  });

  it('all pending changes in the same batch as any other operation', async () => {
    const more = gate();
    const { f } = framed([callTools('Te', 'xt', more, addCard('A')), say('x')], {
      domains: [createBoard().domain()],
    });
    await using _ = f;
    const seen: string[] = [];
    const stop = effect(() => {
      const { phase, currentText } = f.session;
      seen.push(`${phase.value} ${JSON.stringify(currentText.value)}`);
    });
    const turn = f.session.send('Go');
    await more.reached;
    expect(seen.at(-1)).toBe('streaming "Te"');
    more.open();
    await turn;
    stop();
    // The first reader of the new phase has the whole text: never a phase with older text.
    expect(seen.find((line) => line.startsWith('executing'))).toBe('executing "Text"');
  });

  it.each([
    ['completed', [say(['a', 'b'])]],
    ['failed', [fail('auth')]],
    ['failed', [say(['a', 'b']), fail('auth')]],
  ] as const)('`isRunning` false never together with outdated text (%s)', async (_status, answers) => {
    const { f } = framed([...answers], { looseScript: true });
    await using _ = f;
    const seen: string[] = [];
    const stop = effect(() => {
      const { isRunning, currentText, liveTurn } = f.session;
      if (!isRunning.value)
        seen.push(`${currentText.value}|${f.session.state.currentText}|${liveTurn.value}`);
    });
    await f.session.send('Go').catch(() => {});
    stop();
    for (const line of seen) {
      const [published, folded, live] = line.split('|');
      expect(published).toBe(folded);
      expect(live).toBe('null');
    }
  });

  it('`isRunning` false never together with outdated text (cancelled)', async () => {
    const { f, scheduler } = framed([stall('a', 'b')]);
    await using _ = f;
    const seen: string[] = [];
    const stop = effect(() => void seen.push(`${f.session.isRunning.value} ${f.session.currentText.value}`));
    void f.session.send('Go');
    await settle();
    expect(seen).toEqual(['false ', 'true ', 'true a']);
    void f.session.cancel();
    stop();
    expect(seen.filter((line) => line.startsWith('false'))).toEqual(['false ', 'false ab']);
    expect(scheduler.scheduled).toBe(false);
  });

  it('the idle state before the terminal operation is delivered; promises settle afterwards', async () => {
    for (const [answers, type] of [
      [[say('Hello.')], 'completed'],
      [[fail('auth')], 'failed'],
      [[stall('Hello.')], 'cancelled'],
    ] as const) {
      const { f } = framed([...answers]);
      await using _ = f;
      const order: string[] = [];
      f.session.operations$.subscribe((operation) => {
        if (!isTerminal(operation)) return;
        order.push(operation.type);
        const { isRunning, phase, liveTurn, turns, currentText, state } = f.session;
        expect(isRunning.value).toBe(false);
        expect(phase.value).toBe('idle');
        expect(liveTurn.value).toBeNull();
        expect(turns.value).toHaveLength(1);
        expect(currentText.value).toBe(state.currentText);
      });
      const turn = f.session.send('Go');
      turn.then(
        () => order.push('resolved'),
        () => order.push('rejected'),
      );
      await settle();
      if (type === 'cancelled') await f.session.cancel();
      await settle();
      expect(order).toEqual([type, type === 'completed' ? 'resolved' : 'rejected']);
    }
  });

  it('`state` is current before the signals that a view follows', async () => {
    const more = gate();
    const { f } = framed([say(['n', 'ow', more])]);
    await using _ = f;
    const stop = follow(f.session.currentText);
    const turn = f.session.send('Go');
    await more.reached;
    expect(f.session.state.currentText).toBe('now');
    expect(f.session.currentText.value).toBe('n');
    more.open();
    await turn;
    stop();
  });

  it('nothing if no reader follows a signal: a signal that is read then is current', async () => {
    const [first, second] = [gate(), gate()];
    const { f, scheduler } = framed([say(['n', 'o', first, 'w', second, '.'])]);
    await using _ = f;
    const turn = f.session.send('Go');
    await first.reached;
    expect(scheduler.scheduled).toBe(false);
    expect(f.session.currentText.value).toBe('no');
    expect(f.session.liveTurn.value?.rounds[0]?.parts).toEqual([{ type: 'text', text: 'no' }]);
    expect(f.session.sequence.value).toBe(f.session.state.sequence);
    // The first follower begins the frames, the last one ends them.
    const stops = [follow(f.session.phase), follow(f.session.liveTurn)];
    first.open();
    await second.reached;
    expect(scheduler.scheduled).toBe(true);
    for (const stop of stops) stop();
    scheduler.frame();
    second.open();
    await turn;
    expect(scheduler.scheduled).toBe(false);
    expect(f.session.currentText.value).toBe('now.');
  });

  it('idle at once when the session is disposed, and the frame is cancelled', async () => {
    const { f, scheduler } = framed([stall('a', 'b')]);
    await using _ = f;
    const stop = follow(f.session.currentText);
    void f.session.send('Go');
    await settle();
    expect(scheduler.scheduled).toBe(true);
    expect(f.session.currentText.value).toBe('a');
    await f.session.dispose();
    stop();
    expect(scheduler.scheduled).toBe(false);
    expect(f.session.currentText.value).toBe('ab');
    expect(f.session.isRunning.value).toBe(false);
  });
});

describe('identity', () => {
  it('`conversation` does not change per delta, and untouched messages keep their identity', async () => {
    await using f = fixture([say('One.'), say(['T', 'w', 'o', '.'])]);
    await f.session.send('Go');
    const [first, second] = f.session.conversation.value.messages;
    const seen = new Set<unknown>();
    f.session.operations$.subscribe(() => void seen.add(f.session.conversation.value));
    await f.session.send('Next');
    expect(f.session.conversation.value.messages[0]).toBe(first);
    expect(f.session.conversation.value.messages[1]).toBe(second);
    // The conversation before the turn, with the user message, and with the answer.
    expect(seen.size).toBe(3);
  });

  it('settled records keep their identity when a turn is added, and only then does `turns` change', async () => {
    await using f = fixture([say('One.'), say(['T', 'w', 'o', '.'])]);
    await f.session.send('Go');
    const [first] = f.session.turns.value;
    const seen = new Set<unknown>();
    f.session.operations$.subscribe(() => void seen.add(f.session.turns.value));
    await f.session.send('Next');
    expect(seen.size).toBe(2);
    expect(f.session.turns.value[0]).toBe(first);
  });

  it('a call keeps its identity while another call grows', async () => {
    const more = gate();
    await using f = fixture(
      [callTools(addCard('A'), { tool: 'board.add', argumentsText: ['{"ti', more, 'tle":"B"}'] }), say('x')],
      {
        domains: [createBoard().domain()],
      },
    );
    const turn = f.session.send('Go');
    await more.reached;
    const [first, second] = f.session.activeToolCalls.value;
    const calls: unknown[] = [];
    atOperation(f.session, 'toolCallPartial', () => calls.push(...f.session.activeToolCalls.value));
    more.open();
    await turn;
    expect(calls[0]).toBe(first);
    expect(calls[1]).not.toBe(second);
  });

  it('a value that was read never changes', async () => {
    await using f = fixture([callTools('a', 'b', addCard('A')), say(['c', 'd'])], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    const snapshots: { readonly live: unknown; readonly text: string }[] = [];
    f.session.operations$.subscribe(() => {
      const { state } = f.session;
      snapshots.push({ live: state, text: JSON.stringify(state) });
    });
    await f.session.send('Go');
    for (const { live, text } of snapshots) expect(JSON.stringify(live)).toBe(text);
  });
});

describe('subscribers and effects', () => {
  it('`textPieces` emits the text so far first, then each piece', async () => {
    const more = gate();
    await using f = fixture([say(['a', 'b', more, 'c', 'd'])]);
    const turn = f.session.send('Go');
    await more.reached;
    const pieces: string[] = [];
    textPieces(f.session).subscribe(({ text, turnId }) => pieces.push(`${turnId} ${text}`));
    const operations: Operation[] = [];
    f.session.operations$.subscribe((operation) => operations.push(operation));
    more.open();
    await turn;
    expect(pieces).toEqual(['turn_1 ab', 'turn_1 c', 'turn_1 d']);
    expect(operations[0]).toMatchObject({ type: 'text', delta: 'c' });
  });

  it('X10 a throwing subscriber affects neither the turn nor other subscribers, and is reported', async () => {
    await using f = fixture([callTools(addCard('A')), say('x')], {
      domains: [createBoard().domain()],
      reportsErrors: true,
    });
    const others = vi.fn();
    f.session.operations$.subscribe(() => {
      throw new Error('subscriber');
    });
    f.session.operations$.subscribe(others);
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(others).toHaveBeenCalledTimes(f.observed.operations.length);
    expect(f.reported).toHaveLength(f.observed.operations.length);
  });

  it('X10 a throwing effect affects neither the turn nor other effects, and is reported', async () => {
    await using f = fixture([say(['a', 'b'])], { reportsErrors: true });
    const seen: string[] = [];
    const stops = [
      effect(() => {
        if (f.session.currentText.value === 'a') throw new Error('effect');
      }),
      effect(() => void seen.push(f.session.currentText.value)),
    ];
    expect((await f.session.send('Go')).text).toBe('ab');
    expect(seen).toContain('a');
    expect(seen.at(-1)).toBe('ab');
    expect(f.reported.length).toBeGreaterThan(0);
    for (const stop of stops) stop();
  });

  it('X10 a subscriber that unsubscribes itself does not affect other subscribers', async () => {
    await using f = fixture([say('x')]);
    const seen: string[] = [];
    const subscription = f.session.operations$.subscribe(({ type }) => {
      seen.push(type);
      subscription.unsubscribe();
    });
    await f.session.send('Go');
    expect(seen).toEqual(['turnStarted']);
    expect(f.observed.types.at(-1)).toBe('completed');
  });

  it('X10 an operation that a subscriber causes is delivered after the current one reached every subscriber', async () => {
    await using f = fixture([stall('x')]);
    const seen: string[][] = [[], [], []];
    f.session.operations$.subscribe(({ type }) => void seen[0]!.push(type));
    f.session.operations$.subscribe(({ type }) => {
      seen[1]!.push(type);
      if (type === 'text') void f.session.cancel();
    });
    f.session.operations$.subscribe(({ type }) => void seen[2]!.push(type));
    await rejection(f.session.send('Go'));
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
    expect(seen[0]!.slice(-4)).toEqual(
      ['text', 'cancelRequested', 'rollbackStarted', 'rolledBack', 'cancelled'].slice(-4),
    );
    const sequences = f.observed.operations.map((operation) => operation.sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  });

  it('an operation caused inside an effect is delivered after the operation to which the effect reacted', async () => {
    await using f = fixture([stall('x')]);
    const stop = effect(() => {
      if (f.session.currentText.value === 'x') void f.session.cancel();
    });
    await rejection(f.session.send('Go'));
    stop();
    const types = f.observed.types;
    expect(types.indexOf('cancelRequested')).toBe(types.indexOf('text') + 1);
  });

  it('methods called inside an effect or a computed do not track signals', async () => {
    await using f = fixture([say('x')], { looseScript: true });
    const runs = vi.fn();
    const turns: Promise<unknown>[] = [];
    const stop = effect(() => {
      runs();
      if (turns.length > 0) return;
      turns.push(
        f.session.send('Go'),
        f.session.cancel().catch(() => {}),
        f.session.undo().catch(() => {}),
      );
      void f.session.respond('none', { approve: true });
      f.session.configure({ role: 'x' });
      f.session.save();
    });
    await Promise.allSettled(turns);
    expect(runs).toHaveBeenCalledTimes(1);
    const saved = computed(() => f.session.save().turns.length);
    expect(saved.value).toBe(1);
    stop();
  });
});
