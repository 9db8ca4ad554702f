// Section 3 of the contract: the stream of operations, for each kind of turn.
import { describe, expect, it } from 'vitest';
import { callTools, fail, finishWith, forcedGuard, gatedTool, say, settle, spyTool, stall } from '@handrail/testing';
import {
  accumulateToolCalls,
  apply,
  checkOrder,
  initialState,
  stop,
  UndoHistory,
  type Operation,
  type SessionState,
  type Tool,
} from '@handrail/session';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';

/** The operations without those that repeat. */
const outlineOf = ({ observed }: Fixture) =>
  observed.types.filter((type, i, all) => type !== all[i - 1] || !['text', 'toolCallPartial'].includes(type));

const opening = ['turnStarted', 'messagesAppended', 'roundStarted', 'modelCallStarted'];

interface Scenario {
  readonly name: string;
  readonly open: () => Fixture;
  /** What happens beside send; the fixture's session runs already. */
  readonly then?: (f: Fixture) => Promise<void>;
  readonly types: readonly string[];
}

const board = (options: FixtureOptions = {}, ...extra: readonly Tool[]) => ({
  domains: [createBoard().domain(...extra)],
  history: new UndoHistory(),
  ...options,
});

const scenarios: readonly Scenario[] = [
  {
    name: 'an answer of text',
    open: () => fixture([say(['He', 'llo'], { thinking: 'Hm', usage: { inputTokens: 1 } })]),
    types: [
      ...opening,
      'thinking',
      'text',
      'usage',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a tool call and an answer',
    open: () => fixture([callTools(addCard('A')), say('Done.')], board()),
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'rejected, denied, confirmed and failing calls',
    open: () =>
      fixture(
        [
          callTools(
            { tool: 'board.nowhere' },
            { tool: 'board.broken' },
            { tool: 'board.add', args: { title: 'deny' } },
            { tool: 'board.add', args: { title: 'ask' } },
          ),
          say('Done.'),
        ],
        board(
          {
            guards: [
              forcedGuard('guard', ({ arguments: { title } }) =>
                title === 'deny' ? { deny: 'no' } : title === 'ask' ? { confirm: 'Sure?' } : 'allow',
              ),
            ],
          },
          spyTool('broken', {
            execute: () => {
              throw new Error('broken');
            },
          }),
        ),
      ),
    then: async (f) => {
      await settle();
      f.session.pendingConfirmation.value?.approve();
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolsRejected',
      'guardDecided',
      'guardDecided',
      'toolsRejected',
      'guardDecided',
      'confirmationRequested',
      'confirmationResolved',
      'toolStarted',
      'toolFailed',
      'toolStarted',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a tool that stops the turn',
    open: () =>
      fixture([callTools({ tool: 'board.stop' }, addCard('B'))], board({}, spyTool('stop', { execute: () => stop('enough') }))),
    types: [
      ...opening,
      'toolCallPartial',
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'toolCompleted',
      'toolsRejected',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
  {
    name: 'an answer cut by the token limit',
    open: () => fixture([finishWith('length', 'Half an')]),
    types: [
      ...opening,
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
  {
    name: 'a retried request',
    open: () => fixture([fail('overloaded'), say('Done.')]),
    then: async (f) => f.clock.advance(500),
    types: [
      ...opening,
      'modelCallFinished',
      'retrying',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a failed turn',
    open: () => fixture([fail('auth')]),
    types: [...opening, 'modelCallFinished', 'rollbackStarted', 'rolledBack', 'failed'],
  },
  {
    name: 'a cancelled turn',
    open: () => fixture([stall('Hm')]),
    then: async (f) => {
      await settle();
      void f.session.cancel();
    },
    types: [...opening, 'text', 'cancelRequested', 'rollbackStarted', 'rolledBack', 'cancelled'],
  },
  {
    name: 'a turn cancelled with its effects kept',
    open: () => fixture([callTools(addCard('A')), stall('Hm')], board()),
    then: async (f) => {
      await settle();
      void f.session.cancel({ sideEffects: 'keep' });
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'cancelRequested',
      'commitStarted',
      'committed',
      'cancelled',
    ],
  },
  {
    name: 'a turn cancelled while it asks',
    open: () => fixture([callTools(addCard('A'))], board({ guards: [forcedGuard('ask', { confirm: 'Sure?' })] })),
    then: async (f) => {
      await settle();
      void f.session.cancel();
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'guardDecided',
      'confirmationRequested',
      'cancelRequested',
      'confirmationResolved',
      'rollbackStarted',
      'rolledBack',
      'cancelled',
    ],
  },
  {
    name: 'a limit that stops the turn in the middle of a batch',
    open: () =>
      fixture(
        [callTools(addCard('A'), addCard('B'))],
        board({ limits: { maxToolCalls: 1, onTrip: 'stop' } }),
      ),
    types: [
      ...opening,
      'toolCallPartial',
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'toolCompleted',
      'toolsRejected',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
];

/** Plays a scenario to its end. */
async function play({ open, then }: Scenario): Promise<Fixture> {
  const f = open();
  const turn = f.session.send('Go');
  turn.catch(() => {});
  await then?.(f);
  await turn.catch(() => {});
  await settle();
  return f;
}

describe.each(scenarios)('$name', (scenario) => {
  it('has the operations of the grammar, in order', async () => {
    await using f = await play(scenario);
    const collapsed = (types: readonly string[]) =>
      types.filter((type, i) => type !== 'toolCallPartial' || type !== types[i - 1]);
    expect(collapsed(outlineOf(f))).toEqual(collapsed(scenario.types));
    expect(checkOrder(f.observed.operations)).toEqual([]);
  });

  it('folds from the initial state to the live state, at each operation', async () => {
    const f = scenario.open();
    await using _ = f;
    let mirror: SessionState = initialState();
    let compared = 0;
    // Nothing is caused inside subscribers here, so that the state is the one of the operation being delivered.
    f.session.operations$.subscribe((operation) => {
      mirror = apply(mirror, operation);
      expect(mirror).toEqual(f.session.state);
      compared++;
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await scenario.then?.(f);
    await turn.catch(() => {});
    await settle();
    expect(compared).toBe(f.observed.operations.length);
  });

  it('consists of JSON; only the request snapshot goes by reference', async () => {
    await using f = await play(scenario);
    for (const operation of f.observed.operations) {
      const { request: _request, ...plain } = operation as Operation & { request?: unknown };
      const journalled = operation.type === 'modelCallStarted' ? plain : operation;
      expect(JSON.parse(JSON.stringify(journalled))).toEqual(journalled);
    }
    // A journal without the snapshots folds to the same state.
    const journal = f.observed.operations.map(
      (operation) => JSON.parse(JSON.stringify({ ...operation, request: operation.type === 'modelCallStarted' ? undefined : (operation as never as { request?: unknown }).request })) as Operation,
    );
    expect(journal.reduce(apply, initialState())).toEqual(f.session.state);
  });

  it('is numbered by one, timed by the clock, and belongs to its turn', async () => {
    await using f = await play(scenario);
    f.observed.operations.forEach((operation, index) => {
      expect(operation.sequence).toBe(index + 1);
      expect(operation.at).toBeGreaterThanOrEqual(1_000);
      expect(operation.turnId).toBe('turn_1');
    });
  });

  it('every completed round has requested = rejected + completed + failed', async () => {
    await using f = await play(scenario);
    let open = 0;
    for (const operation of f.observed.operations) {
      if (operation.type === 'toolsRequested') open += operation.calls.length;
      if (operation.type === 'toolsRejected') open -= operation.calls.length;
      if (operation.type === 'toolCompleted' || operation.type === 'toolFailed') open--;
      if (operation.type === 'roundCompleted') expect(open).toBe(0);
    }
  });
});

describe('what operations carry', () => {
  it('turnStarted: input, limits without the unlimited ones, provider and model', async () => {
    await using f = fixture([say('x')]);
    await f.session.send('Go');
    expect(f.observed.operations[0]).toMatchObject({
      type: 'turnStarted',
      input: { role: 'user', parts: [{ type: 'text', text: 'Go' }] },
      limits: { maxRounds: 8, maxToolCalls: 12, onTrip: 'fail' },
      provider: { id: 'scripted', model: 'scripted-1' },
    });
    expect(f.observed.operations[0]).not.toHaveProperty('limits.maxTokens');
  });

  it('roundStarted: 1-based, with the budget left and the pressure on the context window', async () => {
    await using f = fixture([callTools({ tool: 'board.list' }, { type: 'usage', usage: { inputTokens: 250 } }), say('x')], {
      ...board(),
      scripted: { contextWindow: 1_000 },
    });
    await f.session.send('Go');
    const rounds = f.observed.operations.filter((operation) => operation.type === 'roundStarted');
    expect(rounds).toMatchObject([
      { round: 1, contextPressure: null, budget: { rounds: { spent: 1, left: 7 } } },
      { round: 2, contextPressure: 0.25, budget: { rounds: { spent: 2, left: 6 }, toolCalls: { spent: 1, left: 11 } } },
    ]);
  });

  it('modelCallStarted: the request itself; modelCallFinished: usage, stop reason, error', async () => {
    await using f = fixture([fail('overloaded'), say('x', { usage: { outputTokens: 3 } })]);
    const turn = f.session.send('Go');
    await f.clock.advance(500);
    await turn;
    const started = f.observed.operations.filter((operation) => operation.type === 'modelCallStarted');
    expect(started.map((operation) => operation.attempt)).toEqual([1, 2]);
    expect(started[0]?.request).toBe(f.provider.requests[0]);
    const finished = f.observed.operations.filter((operation) => operation.type === 'modelCallFinished');
    expect(finished).toMatchObject([
      { attempt: 1, usage: null, stopReason: null, error: { code: 'overloaded' } },
      { attempt: 2, usage: { outputTokens: 3 }, stopReason: 'stop', error: null },
    ]);
  });

  it('toolCallPartial: deltas only; accumulateToolCalls puts them together', async () => {
    await using f = fixture([callTools({ ...addCard('A long title'), id: 'provider-1', fragment: 5 }), say('x')], board());
    const texts: string[] = [];
    f.session.operations$.pipe(accumulateToolCalls()).subscribe((call) => texts.push(call.argumentsText));
    await f.session.send('Go');
    const partials = f.observed.operations.filter((operation) => operation.type === 'toolCallPartial');
    expect(partials.map((operation) => operation.delta).join('')).toBe('{"title":"A long title"}');
    expect(partials.every((op) => op.callId === 'call_1' && op.providerCallId === 'provider-1' && op.tool === 'board.add' && op.index === 0)).toBe(true);
    expect(texts.at(-1)).toBe('{"title":"A long title"}');
    expect(texts).toHaveLength(partials.length);
  });

  it('messagesAppended: one exchange a round, the assistant message with all its results in call order', async () => {
    const slow = gatedTool('slow', { capabilities: ['readOnly'] });
    await using f = fixture([callTools({ tool: 'board.slow' }, { tool: 'board.list' }), say('x')], board({}, slow));
    const turn = f.session.send('Go');
    const run = await slow.next();
    await settle();
    // The second call settled first.
    run.settle('slow');
    await turn;
    const [, exchange] = f.observed.operations.filter((operation) => operation.type === 'messagesAppended');
    expect(exchange?.messages.map((message) => message.role)).toEqual(['assistant', 'user']);
    expect(exchange?.messages[1]?.parts.map((part) => 'callId' in part && part.callId)).toEqual(['call_1', 'call_2']);
  });

  it('session operations belong to no turn', async () => {
    await using f = fixture([callTools(addCard('A')), say('x')], board());
    await f.session.send('Go');
    f.session.configure({ role: 'x' });
    await f.session.undo();
    await f.session.redo();
    await f.session.dispose();
    const session = f.observed.operations.slice(f.observed.types.indexOf('completed') + 1);
    expect(session.map((operation) => operation.type)).toEqual([
      'configured',
      'undoStarted',
      'undone',
      'redoStarted',
      'redone',
      'disposed',
    ]);
    for (const operation of session) expect(operation.turnId).toBeUndefined();
  });

  it('an unknown operation changes nothing', () => {
    const state = initialState();
    expect(apply(state, { type: 'somethingNew', sequence: 1, at: 0 } as unknown as Operation)).toEqual(state);
  });

  it('terminal operations carry usage and rounds, text and messages, reason, report, error', async () => {
    await using f = fixture([callTools('One.', addCard('A'), { type: 'usage', usage: { inputTokens: 5 } }), fail('auth')], board());
    await rejection(f.session.send('Go'));
    expect(f.observed.operations.at(-1)).toMatchObject({
      type: 'failed',
      usage: { inputTokens: 5 },
      rounds: 2,
      error: { code: 'auth' },
      report: { done: [{ description: 'Added A' }] },
    });
  });
});
