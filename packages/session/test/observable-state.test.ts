// One test for each row of the table of the state, for each ending of a turn.
import { describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  failAfter,
  finishWith,
  forcedGuard,
  gate,
  gatedTool,
  say,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import { effect, UndoHistory, type Phase, type TurnStatus } from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { textPieces } from '@banister/session/view';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, type Fixture, type FixtureOptions } from './fixture.js';

const endings = ['completed', 'stopped', 'cancelled', 'failed'] as const;
const usage = (n: number) => ({ type: 'usage', usage: { inputTokens: n, outputTokens: 1 } }) as const;

/** A turn of two rounds: thinking, text and a tool call, then "Two." and the ending. */
function script(ending: TurnStatus) {
  const first = callTools({ type: 'thinking', delta: 'Hm. ' }, 'One. ', addCard('A'), usage(10));
  switch (ending) {
    case 'completed':
      return [first, finishWith('stop', { type: 'thinking', delta: 'So. ' }, 'Two.', usage(20))];
    case 'stopped':
      return [first, finishWith('length', { type: 'thinking', delta: 'So. ' }, 'Two.', usage(20))];
    case 'failed':
      return [first, failAfter([{ type: 'thinking', delta: 'So. ' }, 'Two.', usage(20)], 'auth')];
    case 'cancelled':
      return [first, stall({ type: 'thinking', delta: 'So. ' }, 'Two.', usage(20))];
  }
}

function prepared(ending: TurnStatus, options: FixtureOptions = {}): Fixture {
  return fixture(script(ending), {
    domains: [createBoard().domain()],
    history: new UndoHistory(),
    ...options,
  });
}

async function finish(f: Fixture, ending: TurnStatus, input = 'Go'): Promise<void> {
  const turn = f.session.send(input);
  turn.catch(() => {});
  await settle();
  if (ending === 'cancelled') await f.session.cancel();
  await turn.catch(() => {});
  expect(f.session.lastOutcome.value?.status).toBe(ending);
}

describe.each(endings)('at the end of a turn that %s', (ending) => {
  it('isRunning: true when send returns, false afterwards', async () => {
    await using f = prepared(ending);
    void f.session.send('Go');
    expect(f.session.isRunning.value).toBe(true);
    await settle();
    if (ending === 'cancelled') await f.session.cancel();
    expect(f.session.isRunning.value).toBe(false);
  });

  it('`phase` is `idle` after every ending', async () => {
    await using f = prepared(ending);
    const phases: Phase[] = [];
    const stop = effect(() => void phases.push(f.session.phase.value));
    await finish(f, ending);
    stop();
    expect(phases[0]).toBe('idle');
    expect(phases.slice(1, 4)).toEqual(['preparing', 'streaming', 'executing']);
    const last = ending === 'cancelled' || ending === 'failed' ? 'rolling-back' : 'committing';
    expect(phases.slice(-2)).toEqual([last, 'idle']);
  });

  it('currentText and currentThinking: kept, and reset when the next turn starts', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    expect(f.session.currentText.value).toBe('One. \n\nTwo.');
    expect(f.session.currentThinking.value).toBe('Hm. \n\nSo. ');
    const more = gate();
    f.provider.push(say([more, 'x']));
    const next = f.session.send('Next');
    expect(f.session.currentText.value).toBe('');
    expect(f.session.currentThinking.value).toBe('');
    more.open();
    await next;
  });

  it('the record of a turn moves from `liveTurn` to `turns` in one batch, with its outcome', async () => {
    await using f = prepared(ending);
    const seen: string[] = [];
    const stop = effect(() => {
      const { turns, liveTurn } = f.session;
      seen.push(
        `${liveTurn.value?.id ?? '-'} ${turns.value.map((turn) => `${turn.id}:${turn.status}`).join()}`,
      );
    });
    await finish(f, ending);
    stop();
    expect([...new Set(seen)]).toEqual(['- ', 'turn_1 ', `- turn_1:${ending}`]);
    const [record] = f.session.turns.value;
    expect(record?.outcome).toBe(f.session.lastOutcome.value);
    expect(record?.input.parts).toEqual([{ type: 'text', text: 'Go' }]);
    expect(record?.rounds.map((round) => round.parts.map((part) => part.type))).toEqual([
      ['thinking', 'text', 'tool-call'],
      ['thinking', 'text'],
    ]);
    expect(record?.rounds[0]?.parts[2]).toMatchObject({
      state: 'settled',
      arguments: { title: 'A' },
      result: { outcome: 'success' },
      ...(ending === 'completed' || ending === 'stopped' ? {} : { reverted: true }),
    });
  });

  it('conversation: the durable record', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    const rounds = ['user: Go', 'assistant: thinking | One.  | call board.add', 'user: result success'];
    expect(outline(f.session.conversation.value.messages)).toEqual(
      ending === 'completed' || ending === 'stopped' ? [...rounds, 'assistant: thinking | Two.'] : rounds,
    );
  });

  it('activeToolCalls, pendingConfirmation and pendingConfirmations: empty', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    expect(f.session.activeToolCalls.value).toEqual([]);
    expect(f.session.pendingConfirmation.value).toBeNull();
    expect(f.session.pendingConfirmations.value).toEqual([]);
  });

  it("lastUsageReport: this turn's sum, null again when the next turn starts", async () => {
    await using f = prepared(ending);
    const seen: unknown[] = [];
    const stop = effect(() => void seen.push(f.session.lastUsageReport.value?.inputTokens ?? null));
    await finish(f, ending);
    expect([...new Set(seen)]).toEqual([null, 10, 30]);
    expect(f.session.lastUsageReport.value).toEqual({ inputTokens: 30, outputTokens: 2 });
    expect(f.session.lastOutcome.value?.usage).toEqual({ inputTokens: 30, outputTokens: 2 });
    f.provider.push(say('x'));
    await f.session.send('Next');
    stop();
    expect(seen.at(-1)).toBeNull();
    // The second turn has no usage report.
    expect(f.session.lastUsageReport.value).toBeNull();
  });

  it('budget: the amounts spent and left, kept', async () => {
    await using f = prepared(ending, { limits: { maxTokens: 1_000 } });
    await finish(f, ending);
    const { rounds, toolCalls } = f.session.budget.value;
    expect(rounds).toEqual({ spent: 2, left: 6 });
    expect(toolCalls).toEqual({ spent: 1, left: 11 });
    f.provider.push(say('x'));
    const next = f.session.send('Next');
    expect(f.session.budget.value.toolCalls).toEqual({ spent: 0, left: 12 });
    await next;
  });

  it('budget: tokens include those of the last round', async () => {
    await using f = prepared(ending, { limits: { maxTokens: 1_000 } });
    await finish(f, ending);
    expect(f.session.budget.value.tokens).toEqual({ spent: 32, left: 968 });
  });

  it('lastSchemaWarnings and lastContextDiagnostics: kept until the next turn', async () => {
    let broken = true;
    await using f = prepared(ending, {
      scripted: { schemaWarnings: [{ tool: 'board.add', message: 'not honoured' }] },
      context: [
        {
          id: 'source',
          policy: 'always',
          summary: () => (broken ? Promise.reject(new Error('offline')) : 'fine'),
        },
      ],
    });
    await finish(f, ending);
    expect(f.session.lastSchemaWarnings.value).toEqual([{ tool: 'board.add', message: 'not honoured' }]);
    expect(f.session.lastContextDiagnostics.value).toEqual([{ source: 'source', message: 'offline' }]);
    broken = false;
    f.provider.push(say('x'));
    await f.session.send('Next');
    expect(f.session.lastContextDiagnostics.value).toEqual([]);
  });

  it('lastOutcome: status, usage, rounds, report, error; the previous outcome stays while a turn runs', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    const outcome = f.session.lastOutcome.value;
    expect(outcome).toMatchObject({ status: ending, usage: { inputTokens: 30 }, rounds: 2 });
    expect(outcome?.error?.code).toBe(ending === 'failed' ? 'auth' : undefined);
    expect(outcome?.stop?.kind).toBe(ending === 'stopped' ? 'length' : undefined);
    expect(outcome?.report?.done.length).toBe(ending === 'failed' || ending === 'cancelled' ? 1 : undefined);
    const more = gate();
    f.provider.push(say([more, 'x']));
    const next = f.session.send('Next');
    await more.reached;
    expect(f.session.lastOutcome.value).toBe(outcome);
    more.open();
    await next;
    expect(f.session.lastOutcome.value?.status).toBe('completed');
  });

  it('lastError: the error of a failed turn, else null; null when the next turn starts', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    if (ending === 'failed') {
      expect(f.session.lastError.value).toBeInstanceOf(Error);
      expect(f.session.lastError.value?.code).toBe('auth');
      expect(f.session.state.lastError).toEqual(f.session.lastError.value?.toJSON());
    } else expect(f.session.lastError.value).toBeNull();
    const more = gate();
    f.provider.push(say([more, 'x']));
    const next = f.session.send('Next');
    await more.reached;
    expect(f.session.lastError.value).toBeNull();
    more.open();
    await next;
  });

  it('canUndo, canRedo and undoEntries: only committed turns', async () => {
    await using f = prepared(ending);
    await finish(f, ending);
    const committed = ending === 'completed' || ending === 'stopped';
    expect(f.session.canUndo.value).toBe(committed);
    expect(f.session.canRedo.value).toBe(false);
    expect(f.session.undoEntries.value.map((turn) => turn.effects.map((item) => item.description))).toEqual(
      committed ? [['Added A']] : [],
    );
  });
});

describe('during a turn', () => {
  it('canUndo and canRedo are false; undoEntries does not change', async () => {
    const more = gate();
    await using f = fixture([callTools(addCard('A')), say('Done.'), say(['x', more])], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    const entries = f.session.undoEntries.value;
    expect(f.session.canUndo.value).toBe(true);
    const next = f.session.send('Next');
    expect(f.session.canUndo.value).toBe(false);
    expect(f.session.canRedo.value).toBe(false);
    expect(f.session.undoEntries.value).toBe(entries);
    await more.reached;
    expect(f.session.canUndo.value).toBe(false);
    more.open();
    await next;
    expect(f.session.canUndo.value).toBe(true);
  });

  it('the tokens of the budget follow each usage report', async () => {
    const more = gate();
    await using f = fixture([finishWith('stop', usage(10), 'x', more)], { limits: { maxTokens: 100 } });
    const turn = f.session.send('Go');
    await more.reached;
    expect(f.session.budget.value.tokens).toEqual({ spent: 11, left: 89 });
    more.open();
    await turn;
  });

  it('the phase is `confirming` until the last answer, then `executing`', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('Done.')], {
      domains: [{ id: 'board', tools: [slow] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.phase.value).toBe('confirming');
    void f.session.pendingConfirmation.value?.approve();
    const run = await slow.next();
    expect(f.session.phase.value).toBe('executing');
    run.settle();
    await turn;
  });

  it('activeToolCalls go from assembling over waiting and executing to settled, arguments growing', async () => {
    const [writing, more] = [gate(), gate()];
    const slow = gatedTool('slow');
    await using f = fixture(
      [
        callTools({ tool: 'board.slow', argumentsText: ['{"title": "Mi', writing, 'lk", "n": 1}'] }, more),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [slow] }], guards: [forcedGuard('ask', { confirm: 'Sure?' })] },
    );
    const turn = f.session.send('Go');
    const call = () => f.session.activeToolCalls.value[0];
    await writing.reached;
    expect(call()).toMatchObject({
      state: 'assembling',
      argumentsText: '{"title": "Mi',
      arguments: { title: 'Mi' },
    });
    writing.open();
    await more.reached;
    expect(call()).toMatchObject({ state: 'assembling', arguments: { title: 'Milk', n: 1 } });
    more.open();
    await settle();
    expect(call()).toMatchObject({ state: 'waiting', argumentsText: '{"title": "Milk", "n": 1}' });
    void f.session.pendingConfirmation.value?.approve();
    const run = await slow.next();
    expect(call()).toMatchObject({ state: 'executing' });
    run.context.progress({ percent: 10, step: 'a' });
    run.context.progress({ percent: 50 });
    expect(call()).toMatchObject({ progress: { percent: 50, step: 'a' } });
    run.context.progress('nearly');
    expect(call()).toMatchObject({ progress: 'nearly' });
    const states: (string | undefined)[] = [];
    const stop = effect(() => void states.push(call()?.state));
    run.settle('ok');
    await turn;
    stop();
    expect(states).toContain('settled');
    expect(states.at(-1)).toBeUndefined();
  });

  it('lastContextDiagnostics is cleared when a turn starts', async () => {
    await using f = fixture([say('a'), say('b')], {
      context: [{ id: 's', policy: 'always', summary: () => Promise.reject(new Error('no')) }],
    });
    await f.session.send('Go');
    const next = f.session.send('Go');
    expect(f.session.lastContextDiagnostics.value).toEqual([]);
    await next;
  });

  it('a rejected pre-flight changes no signal, not even lastError', async () => {
    await using f = prepared('failed');
    await finish(f, 'failed');
    const before = f.session.state;
    const error = f.session.lastError.value;
    await rejection(f.session.send('  '));
    expect(f.session.state).toBe(before);
    expect(f.session.lastError.value).toBe(error);
  });

  it('state is plain JSON at every operation', async () => {
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('work', { execute: (_a, c) => c.progress({ a: 1 }) })] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    let checked = 0;
    f.session.operations$.subscribe(() => {
      const { state } = f.session;
      expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      checked++;
    });
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value?.approve();
    await turn;
    expect(checked).toBeGreaterThan(10);
  });
});

describe('C23: the text of several rounds', () => {
  const call = { tool: 'board.list' };
  const thought = (delta: string, signature?: string) =>
    ({ type: 'thinking', delta, ...(signature === undefined ? {} : { signature }) }) as const;

  it('C23: a blank line separates rounds that both have text, for every reader, live and replayed', async () => {
    await using f = fixture([callTools('I th', 'ink.', call), callTools(call), say(['Add', 'ed.'])], {
      domains: [createBoard().domain()],
    });
    const [pieces, late]: string[][] = [[], []];
    textPieces(f.session).subscribe(({ text }) => pieces!.push(text));
    const joinAt = f.session.operations$.subscribe((operation) => {
      if (operation.type !== 'roundStarted' || operation.round !== 2) return;
      joinAt.unsubscribe();
      textPieces(f.session).subscribe(({ text }) => late!.push(text));
    });
    const text = 'I think.\n\nAdded.';
    const result = await f.session.send('Go');
    expect(result.text).toBe(text);
    expect(f.session.currentText.value).toBe(text);
    expect(pieces!.join('')).toBe(text);
    expect(late!.join('')).toBe(text);
    expect(f.observed.operations.reduce(apply, initialState()).currentText).toBe(text);
    expect(outline(result.messages).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant: I think. | call board.list',
      'assistant: call board.list',
      'assistant: Added.',
    ]);
  });

  it('C23: the text of the next turn begins without a blank line', async () => {
    await using f = fixture([say('One.'), say('Two.')]);
    const pieces: string[] = [];
    textPieces(f.session).subscribe(({ text }) => pieces.push(text));
    await f.session.send('Go');
    await f.session.send('Go');
    expect(f.session.currentText.value).toBe('Two.');
    expect(pieces).toEqual(['One.', 'Two.']);
  });

  it('C23: text before and after a call inside an answer belongs to one round, and is not separated', async () => {
    await using f = fixture([finishWith('stop', 'One. ', callInside(call), 'Two.')], {
      domains: [createBoard().domain()],
    });
    expect((await f.session.send('Go')).text).toBe('One. Two.');
  });

  it('C23: thinking is separated in the same way; a block with only a signature does not count', async () => {
    await using f = fixture(
      [
        callTools(thought('Hm'), thought('.', 'a'), thought('So.'), call),
        callTools(thought('', 'b'), call),
        finishWith('stop', thought('', 'c'), thought('Well.'), 'Done.'),
      ],
      { domains: [createBoard().domain()] },
    );
    await f.session.send('Go');
    expect(f.session.currentThinking.value).toBe('Hm.So.\n\nWell.');
    const parts = f.session.turns.value[0]!.rounds.flatMap((round) => round.parts);
    const thinking = parts.flatMap((part) => (part.type === 'thinking' ? [part.text] : []));
    expect(thinking).toEqual(['Hm.', 'So.', '', '', 'Well.']);
  });
});
