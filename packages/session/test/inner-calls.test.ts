// A model that runs the tools inside its own session. Each call is a batch of one inside the
// open round; guards, confirmation, limits, undo, operations and the cancel table apply.
import { describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  failAfter,
  finishWith,
  gate,
  gatedTool,
  settle,
  spyTool,
  stall,
  unsafe,
  type Step,
} from '@banister/testing';
import {
  confirmTools,
  defineGuard,
  denyTools,
  stop,
  UndoHistory,
  type Decision,
  type Operation,
  type Tool,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, rejection, resultTexts, terminals, type Fixture } from './fixture.js';
import { expectRolledBack } from './rolled-back.js';

const inside = (...steps: readonly Step[]) => finishWith('stop', ...steps);
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];
const call = (tool: string, n = 1) => ({ tool: `board.${tool}`, args: { n } });
const types = (f: Fixture) => f.observed.operations.map(({ type }) => type);
const told = (f: Fixture, stream = 0) =>
  f.provider.streams[stream]!.results.map(({ outcome, content }) => {
    const [part] = content;
    return `${outcome}: ${part?.type === 'text' ? part.text : JSON.stringify(part?.type === 'json' ? part.value : null)}`;
  });

describe('a call inside an answer', () => {
  it("a model's call inside its answer is requested, decided, run and answered while the answer is open", async () => {
    const board = createBoard();
    await using f = fixture([inside('I add it. ', callInside(addCard('A')), 'Done.')], {
      domains: [board.domain()],
      guards: [defineGuard('all', () => 'allow')],
    });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'completed', text: 'I add it. Done.', rounds: 1 });
    expect(board.titles).toEqual(['A']);
    expect(told(f)).toEqual(['success: {"card":0}']);
    expect(types(f)).toEqual([
      'turnStarted',
      'messagesAppended',
      'roundStarted',
      'modelCallStarted',
      'text',
      'toolCallPartial',
      'toolsRequested',
      'guardDecided',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ]);
    const requested = f.observed.operations.find(({ type }) => type === 'toolsRequested');
    expect(requested).toMatchObject({
      inner: true,
      calls: [{ tool: 'board.add', arguments: { title: 'A' } }],
    });
    expect(f.observed.operations.find(({ type }) => type === 'roundCompleted')).toMatchObject({
      toolCalls: 1,
    });
  });

  it('joins the conversation with its result, before the text that the model wrote after it', async () => {
    const board = createBoard();
    await using f = fixture(
      [
        inside('One. ', callInside(addCard('A')), 'Two. ', callInside(addCard('B')), 'Three.'),
        inside('Again.'),
      ],
      { domains: [board.domain()] },
    );
    await f.session.send('Go');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One.  | call board.add',
      'user: result success',
      'assistant: Two.  | call board.add',
      'user: result success',
      'assistant: Three.',
    ]);
    // Any provider accepts it: the next request passes the history validator.
    await f.session.send('Next');
    expect(resultTexts(f.provider.requests[1]!)).toHaveLength(2);
  });

  it('has its own assistant message, even without text before it', async () => {
    await using f = fixture([inside(callInside(call('read', 1)), callInside(call('read', 2)), 'Done.')], {
      domains: domain(spyTool('read')),
    });
    await f.session.send('Go');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: call board.read',
      'user: result success',
      'assistant: call board.read',
      'user: result success',
      'assistant: Done.',
    ]);
  });

  it('shows as executing, and the answer as streaming before and after it', async () => {
    const tool = gatedTool('work');
    const more = gate();
    await using f = fixture([inside('One. ', callInside(call('work')), 'Two. ', more, 'Three.')], {
      domains: domain(tool),
    });
    const turn = f.session.send('Go');
    const run = await tool.next();
    expect(f.session.phase.value).toBe('executing');
    expect(f.session.currentText.value).toBe('One. ');
    expect(f.session.activeToolCalls.value).toMatchObject([{ state: 'executing', arguments: { n: 1 } }]);
    run.settle('ok');
    await more.reached;
    expect(f.session.phase.value).toBe('streaming');
    expect(f.session.activeToolCalls.value).toMatchObject([{ state: 'settled' }]);
    expect(f.session.currentText.value).toBe('One. Two. ');
    more.open();
    await turn;
    const [round] = f.session.turns.value.at(-1)!.rounds;
    expect(round!.parts.map(({ type }) => type)).toEqual(['text', 'tool-call', 'text']);
  });

  it('may be followed by calls that the answer ends with, which make another round', async () => {
    await using f = fixture(
      [callTools('One. ', callInside(call('read', 1)), 'Two. ', call('read', 2)), inside('Done.')],
      { domains: domain(spyTool('read')) },
    );
    const result = await f.session.send('Go');
    expect(result.rounds).toBe(2);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One.  | call board.read',
      'user: result success',
      'assistant: Two.  | call board.read',
      'user: result success',
      'assistant: Done.',
    ]);
  });

  it('prevents a retry of the answer when its stream breaks off', async () => {
    await using f = fixture([failAfter([callInside(call('read'))], 'overloaded')], {
      domains: domain(spyTool('read')),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('overloaded');
    expect(types(f)).not.toContain('retrying');
  });

  it('breaks the contract if it comes after a call at the end of the answer', async () => {
    await using f = fixture(
      [unsafe({ type: 'tool-call', index: 0, tool: 'board.read', delta: '{}' }, callInside(call('read')))],
      { domains: domain(spyTool('read')) },
    );
    expect((await rejection(f.session.send('Go'))).code).toBe('provider-contract');
  });

  it('that stops the turn after the end of the stream aborts no connection', async () => {
    const last = gatedTool('last');
    await using f = fixture(
      [
        unsafe(
          { type: 'inner-call', tool: 'board.last', argumentsText: '{}', answer: () => {} },
          {
            type: 'finish',
            reason: 'stop',
          },
        ),
      ],
      { domains: domain(last) },
    );
    const turn = f.session.send('Go');
    const run = await last.next();
    await settle();
    run.settle(stop('Enough.'));
    expect((await turn).status).toBe('stopped');
    expect(f.provider.streams[0]!.aborted).toBe(false);
  });
});

describe('several calls at once', () => {
  it('run one after the other in order of arrival, each with its own result', async () => {
    const tool = gatedTool('work');
    await using f = fixture(
      [inside(callInside(call('work', 1), call('work', 2), call('work', 3)), 'Done.')],
      {
        domains: domain(tool),
      },
    );
    const turn = f.session.send('Go');
    const starts: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      const run = await tool.next();
      starts.push([run.args['n'], tool.runs.filter((one) => !one.settled).length]);
      run.settle(`r${String(run.args['n'])}`);
    }
    await turn;
    expect(starts).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    expect(told(f)).toEqual(['success: r1', 'success: r2', 'success: r3']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: call board.work | call board.work | call board.work',
      'user: result success | result success | result success',
      'assistant: Done.',
    ]);
  });

  it('ask the user one after another, each when the previous call has ended', async () => {
    const board = createBoard();
    await using f = fixture([inside(callInside(addCard('A'), addCard('B')), 'Done.')], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    expect(f.session.phase.value).toBe('confirming');
    void f.session.pendingConfirmation.value!.approve();
    await settle();
    expect(board.titles).toEqual(['A']);
    void f.session.pendingConfirmation.value!.deny('Enough.');
    await turn;
    expect(board.titles).toEqual(['A']);
    expect(told(f)).toEqual([
      'success: {"card":0}',
      'rejected: The user declined this call. Reason: Enough.',
    ]);
  });
});

describe('a call inside an answer that does not run', () => {
  it.each([
    ['a guard denied', { guards: [denyTools('board.read')] }, call('read'), 'board.read was denied'],
    ['no such tool', {}, call('nothing'), 'There is no tool'],
    ['arguments that are no JSON', {}, { tool: 'board.read', argumentsText: '{"n": ' }, 'board.read'],
  ])('%s: its result names the reason, and the answer goes on', async (_name, options, made, text) => {
    const tool = spyTool('read');
    await using f = fixture([inside(callInside(made), 'I see.')], { domains: domain(tool), ...options });
    const result = await f.session.send('Go');
    expect(result.text).toBe('I see.');
    expect(tool.runs).toEqual([]);
    expect(told(f)[0]).toMatch(/^rejected: /);
    expect(told(f)[0]).toContain(text);
  });

  it('invalid arguments: its result names them', async () => {
    await using f = fixture([inside(callInside({ tool: 'board.add', args: { title: 7 } }), 'Oh.')], {
      domains: [createBoard().domain()],
    });
    await f.session.send('Go');
    expect(told(f)[0]).toContain('title');
  });

  it('the result of a tool that throws has no stack, and the answer goes on', async () => {
    const tool = spyTool('work', {
      execute: () => {
        throw new Error('No paper.');
      },
    });
    await using f = fixture([inside(callInside(call('work')), 'Sorry.')], { domains: domain(tool) });
    expect((await f.session.send('Go')).text).toBe('Sorry.');
    expect(told(f)[0]).toMatch(/^thrown: .*No paper\./);
  });

  it('edited arguments run in place of the model’s', async () => {
    const board = createBoard();
    await using f = fixture([inside(callInside(addCard('A')), 'Done.')], {
      domains: [board.domain()],
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Z' } });
    await turn;
    expect(board.titles).toEqual(['Z']);
    expect(told(f)[0]).toContain('Z');
  });
});

describe('limits', () => {
  it('count calls inside an answer: a call beyond the limit fails the turn, which is rolled back', async () => {
    const board = createBoard();
    await using f = fixture([inside(callInside(addCard('A')), callInside(addCard('B')), 'Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
      limits: { maxToolCalls: 1 },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('max-tool-calls');
    expect(board.titles).toEqual([]);
    expect(f.provider.streams[0]!.aborted).toBe(true);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it("with `onTrip: 'stop'` the effects stay, and every call has a result", async () => {
    const board = createBoard();
    await using f = fixture([inside('One. ', callInside(addCard('A'), addCard('B')), 'Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
      limits: { maxToolCalls: 1, onTrip: 'stop' },
    });
    expect((await f.session.send('Go')).status).toBe('stopped');
    expect(board.titles).toEqual(['A']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One.  | call board.add | call board.add',
      'user: result success | result rejected',
    ]);
  });

  it("the turn's clock stands still while the user is asked", async () => {
    await using f = fixture([inside(callInside(addCard('A')), 'Done.')], {
      domains: [createBoard().domain()],
      guards: [confirmTools('board.add')],
      limits: { timeoutMs: 1_000, confirmationTimeoutMs: Infinity },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(60_000);
    void f.session.pendingConfirmation.value!.approve();
    expect((await turn).status).toBe('completed');
  });

  it('the time limit cuts a tool that runs inside', async () => {
    const tool = gatedTool('work', { heedsSignal: true });
    await using f = fixture([inside(callInside(call('work')), 'Done.')], {
      domains: domain(tool),
      limits: { timeoutMs: 1_000 },
    });
    const turn = f.session.send('Go');
    await tool.next();
    await f.clock.advance(1_000);
    expect((await rejection(turn)).code).toBe('timeout');
  });

  it('equal calls trip repeated-call inside an answer, as they do between rounds', async () => {
    const same = callInside({ tool: 'board.work', args: {} });
    const tool = spyTool('work', {
      execute: () => {
        throw new Error('No.');
      },
    });
    await using f = fixture([inside(same, same, same, same, same, 'Done.')], { domains: domain(tool) });
    expect((await rejection(f.session.send('Go'))).code).toBe('repeated-call');
    expect(tool.runs).toHaveLength(2);
    expect(told(f)[2]).toContain('before');
  });

  it('tools that stop the turn end the answer: later calls do not run', async () => {
    const stopper = spyTool('halt', { execute: () => stop('Enough.') });
    const other = spyTool('read');
    await using f = fixture([inside('One. ', callInside(call('halt'), call('read')), 'Never said.')], {
      domains: domain(stopper, other),
    });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({
      status: 'stopped',
      text: 'One. ',
      stop: { kind: 'tool', message: 'Enough.' },
    });
    expect(other.runs).toEqual([]);
    expect(f.provider.streams[0]!.aborted).toBe(true);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One.  | call board.halt | call board.read',
      'user: result stop | result rejected',
    ]);
  });
});

describe('undo', () => {
  it('reverts the effects of calls inside an answer as part of their turn', async () => {
    const board = createBoard();
    await using f = fixture([inside(callInside(addCard('A'), addCard('B')), 'Done.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    expect(board.titles).toEqual(['A', 'B']);
    await f.session.undo();
    expect(board.titles).toEqual([]);
    await f.session.redo();
    expect(board.titles).toEqual(['A', 'B']);
  });

  it('if an answer breaks off after a call, the effect of the call is reverted', async () => {
    const board = createBoard();
    await using f = fixture([failAfter(['One. ', callInside(addCard('A')), 'Two'], 'interrupted')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('interrupted');
    expect(board.titles).toEqual([]);
  });
});

const levels = [
  { level: 'cancel', options: {} },
  { level: 'abort', options: { immediate: true } },
] as const;

describe.each(levels)('$level', ({ level, options }) => {
  const expected = { conversation: ['user: Go'], text: 'One. ' };

  it('X1 while the answer continues after a call: ends at once', async () => {
    const board = createBoard();
    const more = gate();
    await using f = fixture([inside('One. ', callInside(addCard('A')), more, 'Two.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await more.reached;
    const cancel = f.session.cancel(options);
    await expectRolledBack(f, board, turn, cancel, { ...expected, landed: 'streaming' });
  });

  it('while the user is asked: the call is denied at once', async () => {
    const board = createBoard();
    await using f = fixture([inside('One. ', callInside(addCard('A'), addCard('B')), 'Two.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
      guards: [confirmTools('board.add')],
    });
    const turn = f.session.send('Go');
    await settle();
    const cancel = f.session.cancel(options);
    await expectRolledBack(f, board, turn, cancel, {
      ...expected,
      landed: 'confirming',
      completed: [],
      done: [],
      skipped: ['board.add', 'board.add'],
    });
  });

  it('while the app’s handler decides: its approval still runs that one call, unless aborted', async () => {
    const board = createBoard();
    let decide: (decision: Decision) => void = () => {};
    let told = false;
    await using f = fixture([inside('One. ', callInside(addCard('A'), addCard('B')), 'Two.')], {
      domains: [board.domain()],
      history: new UndoHistory(),
      guards: [confirmTools('board.add')],
      confirm: (_request, { signal }) => {
        signal.addEventListener('abort', () => (told = true));
        return new Promise((resolve) => (decide = resolve));
      },
    });
    const turn = f.session.send('Go');
    await settle();
    const cancel = f.session.cancel(options);
    await settle();
    expect(told).toBe(level === 'abort');
    decide({ approve: true });
    await expectRolledBack(f, board, turn, cancel, {
      ...expected,
      landed: 'confirming',
      ...(level === 'abort'
        ? { completed: [], done: [], skipped: ['board.add', 'board.add'] }
        : { skipped: ['board.add'] }),
    });
  });

  it('X1 while a tool runs inside: a cancel lets it finish, an abort cuts it; no further event of the answer is read', async () => {
    const board = createBoard();
    const slow = gatedTool('slow');
    await using f = fixture([inside('One. ', callInside(call('slow'), addCard('B')), 'Two.')], {
      domains: [board.domain(slow)],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    let fired = false;
    run.context.signal.addEventListener('abort', () => (fired = true));
    const cancel = f.session.cancel(options);
    await settle();
    // The connection closes at once either way: the session waits for no further event of the model.
    expect(f.provider.streams[0]!.aborted).toBe(true);
    expect(fired).toBe(level === 'abort');
    expect(f.session.isRunning.value).toBe(level === 'cancel');
    run.context.undo({ description: 'Slow work', revert: () => {} });
    run.settle('done');
    expect((await rejection(turn)).code).toBe('cancelled');
    const report = await cancel;
    await settle();
    expect(report.landed).toBe('executing');
    expect(terminals(f)).toEqual(['cancelled']);
    expect(board.titles).toEqual([]);
    expect(f.session.currentText.value).toBe('One. ');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    expect(f.provider.streams[0]!.results).toEqual([]);
    expect(types(f).includes('lateToolSettled')).toBe(level === 'abort');
  });
});

describe('a cancel', () => {
  it('X1 a second cancel cuts the tool that the first cancel let finish', async () => {
    const slow = gatedTool('slow', { heedsSignal: true });
    await using f = fixture([inside('One. ', callInside(call('slow')), 'Two.')], { domains: domain(slow) });
    const turn = f.session.send('Go');
    const run = await slow.next();
    void f.session.cancel();
    await settle();
    expect(f.session.isRunning.value).toBe(true);
    void f.session.cancel();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(run.context.signal.aborted).toBe(true);
  });

  it("inside the subscriber of a call's operation prevents the call", async () => {
    const tool = spyTool('work');
    await using f = fixture([inside(callInside(call('work')), 'Two.')], { domains: domain(tool) });
    atOperation(f.session, 'toolsRequested', () => void f.session.cancel());
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(tool.runs).toEqual([]);
  });

  it("with `sideEffects: 'keep'` keeps the effect of the call", async () => {
    const board = createBoard();
    await using f = fixture([stall(callInside(addCard('A')))], {
      domains: [board.domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go');
    await settle();
    void f.session.cancel({ sideEffects: 'keep' });
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(board.titles).toEqual(['A']);
    const last = f.observed.operations.findLast(
      (one): one is Extract<Operation, { type: 'committed' }> => one.type === 'committed',
    );
    expect(last?.effects.map(({ description }) => description)).toEqual(['Added A']);
  });
});

describe('an answer', () => {
  it('that does not wait for its call ends when the call has its result', async () => {
    const slow = gatedTool('slow');
    await using f = fixture(
      [
        unsafe({ type: 'inner-call', tool: 'board.slow', argumentsText: '{}', answer: () => {} }, 'Done.', {
          type: 'finish',
          reason: 'stop',
        }),
      ],
      { domains: domain(slow) },
    );
    const turn = f.session.send('Go');
    const run = await slow.next();
    await settle();
    expect(f.session.isRunning.value).toBe(true);
    run.settle('ok');
    expect((await turn).status).toBe('completed');
  });

  it('a provider that throws at the result fails the turn', async () => {
    const answer = () => {
      throw new Error('Not listening.');
    };
    await using f = fixture(
      [
        unsafe(
          { type: 'inner-call', tool: 'board.read', argumentsText: '{}', answer },
          { type: 'finish', reason: 'stop' },
        ),
      ],
      { domains: domain(spyTool('read')) },
    );
    expect((await rejection(f.session.send('Go'))).code).toBe('provider-contract');
  });
});
