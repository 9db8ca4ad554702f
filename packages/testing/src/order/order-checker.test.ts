import { describe, expect, test } from 'vitest';
import type { Budget, JsonObject, Message, Operation, TurnOptions, UndoReport } from '@banister/session';
import { checkOrder, createOrderChecker } from './order-checker.js';

type Unstamped<O> = O extends unknown ? Omit<O, 'sequence' | 'at' | 'turnId'> : never;
type TurnFact = Unstamped<Extract<Operation, { readonly turnId: string }>>;
type SessionFact = Unstamped<Exclude<Operation, { readonly turnId: string }>>;

const line = { spent: 0, left: null };
const budget: Budget = { rounds: line, toolCalls: line, timeMs: line, tokens: line, cost: line };
const request = { system: '', messages: [], tools: [], idempotencyKey: 'k' };
const report: UndoReport = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
const success = { outcome: 'success', content: [] } as const;
const error = { code: 'network', message: 'Gone.', retry: 'now', details: {} } as const;

const input: Message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const opening: readonly TurnFact[] = [
  { type: 'turnStarted', input, limits: {}, provider: { id: 'p', model: 'm' }, budget },
  { type: 'messagesAppended', messages: [input] },
];

const roundStarted = (round: number): TurnFact => ({
  type: 'roundStarted',
  round,
  budget,
  contextPressure: null,
});
const asked = (attempt = 1): TurnFact => ({
  type: 'modelCallStarted',
  attempt,
  model: 'm',
  request,
  revisions: {},
});
const answered = (attempt = 1): TurnFact => ({
  type: 'modelCallFinished',
  attempt,
  usage: null,
  stopReason: 'stop',
  error: null,
  budget,
});
const broke = (attempt = 1): TurnFact => ({
  type: 'modelCallFinished',
  attempt,
  usage: null,
  stopReason: null,
  error,
  budget,
});
const retrying = (attempt: number): TurnFact => ({
  type: 'retrying',
  attempt,
  maxAttempts: 3,
  delayMs: 1,
  reason: '',
  code: 'network',
});
const switched = (attempt: number): TurnFact => ({
  type: 'providerSwitched',
  attempt,
  from: { provider: 'a', model: 'm' },
  to: { provider: 'b', model: 'm' },
  member: 1,
  reason: '',
  code: 'network',
});
const text: TurnFact = { type: 'text', delta: 'Hello' };
const roundCompleted = (round: number, toolCalls = 0): TurnFact => ({
  type: 'roundCompleted',
  round,
  usage: null,
  totalUsage: null,
  toolCalls,
  budget,
});
const assistantMessage: TurnFact = {
  type: 'messagesAppended',
  messages: [{ id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] }],
};
const commitStarted: TurnFact = { type: 'commitStarted', ending: { kind: 'completed' } };
const committed: TurnFact = {
  type: 'committed',
  effects: [],
  unknown: [],
  undoable: false,
  redoable: false,
  domains: [],
  before: {},
  after: {},
};
const rollback: readonly TurnFact[] = [
  { type: 'rollbackStarted' },
  { type: 'rolledBack', report, moved: {} },
];
const completed = (rounds: number): TurnFact => ({
  type: 'completed',
  usage: null,
  rounds,
  budget,
  text: '',
  messages: [],
});
const cancelRequested: TurnFact = { type: 'cancelRequested', level: 'cancel', sideEffects: 'rollback' };
const cancelled = (undone: UndoReport | null = report): TurnFact => ({
  type: 'cancelled',
  usage: null,
  rounds: 1,
  budget,
  report: undone,
});
const failed: TurnFact = { type: 'failed', usage: null, rounds: 1, budget, error, report };
const stopped: TurnFact = {
  type: 'stopped',
  usage: null,
  rounds: 1,
  budget,
  stop: { kind: 'tool', message: '' },
  text: '',
  messages: [],
};

const lastRound = (round: number): readonly TurnFact[] => [
  roundStarted(round),
  asked(),
  text,
  answered(),
  commitStarted,
  assistantMessage,
  committed,
  roundCompleted(round),
  completed(round),
];

const partial = (callId: string, index: number, delta = '{}'): TurnFact => ({
  type: 'toolCallPartial',
  callId,
  tool: 'board.add',
  index,
  delta,
});
const requested = (...callIds: readonly string[]): TurnFact => ({
  type: 'toolsRequested',
  calls: callIds.map((callId) => ({ callId, tool: 'board.add', argumentsText: '{}', arguments: {} })),
});
/** The model waits for the call, and then continues its answer. */
const inner = (...callIds: readonly string[]): TurnFact => ({
  ...(requested(...callIds) as Extract<TurnFact, { type: 'toolsRequested' }>),
  inner: true,
});
const guarded = (callId: string, verdict: 'allow' | 'confirm' | 'deny' = 'allow'): TurnFact => ({
  type: 'guardDecided',
  callId,
  guard: 'g',
  verdict,
});
const confirming = (callId: string): TurnFact => ({
  type: 'confirmationRequested',
  request: {
    id: `ask-${callId}`,
    call: { id: callId, tool: 'board.add', arguments: {} },
    reason: '',
    guard: 'g',
    irreversible: false,
    expiresAt: null,
    answeredBy: 'signal',
  },
});
const resolved = (callId: string, decision: 'approved' | 'edited' | 'denied' = 'approved'): TurnFact => ({
  type: 'confirmationResolved',
  requestId: `ask-${callId}`,
  callId,
  decision,
  by: 'user',
  deadlines: {},
});
/** A request with a preview, which may be the second request about its call. */
const previewing = (callId: string, requestId = `ask-${callId}`): TurnFact => {
  const { request } = confirming(callId) as Extract<TurnFact, { type: 'confirmationRequested' }>;
  const preview = { kind: 'text', text: 'Adds it.' } as const;
  return { type: 'confirmationRequested', request: { ...request, id: requestId, preview, digest: 'one' } };
};
const renewed = (callId: string): TurnFact => ({
  type: 'previewRenewed',
  requestId: `ask-${callId}`,
  callId,
  preview: { kind: 'text', text: 'Adds it, too.' },
  digest: 'two',
});
const attended = (callId: string): TurnFact => ({
  type: 'confirmationAttended',
  requestId: `ask-${callId}`,
  callId,
  attended: true,
  expiresAt: 1,
});
const resolvedAgain = (callId: string, decision: 'approved' | 'denied' = 'approved'): TurnFact => ({
  ...(resolved(callId) as Extract<TurnFact, { type: 'confirmationResolved' }>),
  requestId: `again-${callId}`,
  decision,
});
const started = (callId: string, edited = false): TurnFact => ({
  type: 'toolStarted',
  callId,
  tool: 'board.add',
  arguments: {},
  edited,
  budget,
});
const progress = (callId: string): TurnFact => ({ type: 'toolProgress', callId, patch: 1 });
const done = (callId: string): TurnFact => ({
  type: 'toolCompleted',
  callId,
  outcome: 'success',
  result: success,
  budget,
});
const rejected = (...callIds: readonly string[]): TurnFact => ({
  type: 'toolsRejected',
  calls: callIds.map((callId) => ({
    callId,
    reason: 'denied',
    result: { outcome: 'rejected', content: [] },
  })),
});
const exchange = (...callIds: readonly string[]): TurnFact => ({
  type: 'messagesAppended',
  messages: [
    { id: 'm3', role: 'assistant', parts: [] },
    { id: 'm4', role: 'user', parts: callIds.map((callId) => ({ type: 'tool-result', callId, ...success })) },
  ],
});

/** A round up to its requested calls. */
const calling = (...callIds: readonly string[]): readonly TurnFact[] => [
  roundStarted(1),
  asked(),
  ...callIds.map((callId, index) => partial(callId, index)),
  answered(),
  requested(...callIds),
];

/** A turn whose first round does this and whose second round completes. */
const withBatch = (...batch: readonly TurnFact[]): readonly TurnFact[] => [
  ...opening,
  ...calling('a', 'b'),
  ...batch,
  exchange('a', 'b'),
  roundCompleted(1, 2),
  ...lastRound(2),
];

/** Turns facts of turns and of the session into operations. Each `turnStarted` begins another turn. */
function stamped(...facts: readonly (TurnFact | SessionFact)[]): readonly Operation[] {
  let turn = 0;
  const sessionTypes = [
    'configured',
    'undoStarted',
    'redoStarted',
    'undone',
    'domainTouched',
    'redone',
    'lateToolSettled',
    'headMoved',
    'disposed',
  ];
  return facts.map((fact, index) => {
    if (fact.type === 'turnStarted') turn++;
    const stamp = { sequence: index + 1, at: 0 };
    return (
      sessionTypes.includes(fact.type) ? { ...fact, ...stamp } : { ...fact, ...stamp, turnId: `t${turn}` }
    ) as Operation;
  });
}

const problemsOf = (...facts: readonly (TurnFact | SessionFact)[]) => checkOrder(stamped(...facts));
const completeTurn = [...opening, ...lastRound(1)];

describe('valid streams', () => {
  test.each<[string, readonly (TurnFact | SessionFact)[]]>([
    ['a turn of text', completeTurn],
    ['two turns', [...completeTurn, ...completeTurn]],
    [
      'calls that run one after the other',
      withBatch(started('a'), progress('a'), done('a'), started('b'), done('b')),
    ],
    ['calls that run side by side', withBatch(started('a'), started('b'), done('b'), done('a'))],
    ['calls that are rejected in two steps', withBatch(rejected('b'), started('a'), done('a'))],
    [
      'calls that are guarded and confirmed',
      withBatch(
        guarded('a', 'confirm'),
        guarded('b'),
        confirming('a'),
        resolved('a', 'edited'),
        guarded('a'),
        started('a', true),
        done('a'),
        started('b'),
        done('b'),
      ),
    ],
    [
      'calls inside an answer, and those that it ends with',
      [
        ...opening,
        roundStarted(1),
        asked(),
        text,
        partial('a', 0),
        partial('b', 1),
        inner('a'),
        guarded('a'),
        started('a'),
        done('a'),
        inner('b'),
        guarded('b'),
        rejected('b'),
        text,
        partial('c', 2),
        answered(),
        requested('c'),
        started('c'),
        done('c'),
        exchange('a', 'b', 'c'),
        roundCompleted(1, 3),
        ...lastRound(2),
      ],
    ],
    [
      'a retry before anything was shown',
      [
        ...opening,
        roundStarted(1),
        asked(),
        broke(),
        retrying(2),
        asked(2),
        answered(2),
        ...lastRound(1).slice(4),
      ],
    ],
    [
      'a change of the provider after an attempt that failed, and one before the first attempt of a round',
      [
        ...opening,
        roundStarted(1),
        switched(1),
        asked(),
        broke(),
        retrying(2),
        asked(2),
        broke(2),
        switched(3),
        asked(3),
        answered(3),
        ...lastRound(1).slice(4),
      ],
    ],
    [
      'a turn cancelled in the middle of a model call',
      [...opening, roundStarted(1), asked(), text, cancelRequested, ...rollback, cancelled()],
    ],
    [
      'a turn cancelled while the user is asked',
      [...opening, ...calling('a'), confirming('a'), cancelRequested, ...rollback, cancelled()],
    ],
    [
      'a turn cancelled that keeps what it did',
      [...opening, roundStarted(1), asked(), cancelRequested, commitStarted, committed, cancelled(null)],
    ],
    ['a turn that fails before its message', [opening[0]!, ...rollback, { ...failed, rounds: 0 }]],
    ['a turn whose commit fails', [...opening, ...lastRound(1).slice(0, 5), ...rollback, failed]],
    [
      'a turn that stops',
      [...opening, roundStarted(1), asked(), text, commitStarted, assistantMessage, committed, stopped],
    ],
    ['a turn that stops with a whole answer', [...opening, ...lastRound(1).slice(0, -1), stopped]],
    [
      'session operations anywhere',
      [
        ...opening,
        { type: 'configured', changed: [] },
        ...lastRound(1),
        { type: 'undoStarted', target: 't1' },
        { type: 'undone', target: 't1', report, redoable: true, moved: {} },
        { type: 'disposed' },
      ],
    ],
  ])('%s', (_name, facts) => {
    expect(problemsOf(...facts)).toEqual([]);
  });

  test('operations of unknown types are ignored', () => {
    const unknown = { type: 'fromTheFuture', sequence: 8, at: 0, turnId: 't1' } as unknown as Operation;
    const known = stamped(...completeTurn);
    const shifted = known.slice(7).map((operation) => ({ ...operation, sequence: operation.sequence + 1 }));
    expect(checkOrder([...known.slice(0, 7), unknown, ...shifted])).toEqual([]);
  });
});

describe('calls inside an answer', () => {
  const answering = [...opening, roundStarted(1), asked(), partial('a', 0), partial('b', 1)];

  test('must come while the answer is open', () => {
    expect(problemsOf(...answering, answered(), inner('a'))).toEqual([
      expect.stringContaining('outside of a model call'),
    ]);
  });

  test('must come one at a time, each after the end of the previous call', () => {
    expect(problemsOf(...answering, inner('a', 'b'))).toEqual([expect.stringContaining('comes alone')]);
    expect(problemsOf(...answering, inner('a'), started('a'), inner('b'))).toEqual([
      expect.stringContaining('call a is started'),
    ]);
  });

  test('must be ended and counted when the round completes', () => {
    const round = [...answering.slice(0, -1), inner('a'), started('a'), done('a'), answered()];
    expect(problemsOf(...round, exchange('a'), roundCompleted(1, 0))[0]).toContain('1 were requested');
    expect(problemsOf(...round, roundCompleted(1, 1))[0]).toContain('were not appended');
    expect(problemsOf(...round, exchange(), roundCompleted(1, 1))[0]).toContain('not one for each call');
  });
});

describe('the session', () => {
  test('sequence numbers must rise by one', () => {
    const operations = stamped(...completeTurn);
    const withoutText = operations.filter(({ type }) => type !== 'text');
    expect(checkOrder(withoutText)).toEqual(['#6 modelCallFinished: it follows #4']);
    const twice = operations.flatMap((operation): Operation[] =>
      operation.type === 'text' ? [operation, operation] : [operation],
    );
    expect(checkOrder(twice)).toEqual(['#5 text: it follows #5']);
  });

  test('a text operation from a log may stand for several', () => {
    const operations = stamped(...completeTurn);
    const gap = operations.findIndex(({ type }) => type === 'text');
    expect(gap).toBeGreaterThan(0);
    const shifted = (from: number) =>
      operations.map((one, index) => (index < from ? one : { ...one, sequence: one.sequence + 5 }));
    expect(checkOrder(shifted(gap))).toEqual([]);
    expect(checkOrder(shifted(gap + 1))[0]).toContain(`it follows #${gap + 1}`);
  });

  test('turns must not overlap', () => {
    expect(problemsOf(...opening, ...completeTurn)[0]).toContain('turn t1 is still running');
  });

  test('no operation of a turn may follow its end', () => {
    expect(problemsOf(...completeTurn, text)).toEqual([expect.stringContaining('turn t1 has ended')]);
    expect(problemsOf(...completeTurn, completed(1))).toEqual([expect.stringContaining('turn t1 has ended')]);
  });

  test('a turn id may be used only once', () => {
    const operations = stamped(...completeTurn, ...completeTurn).map((operation) => ({
      ...operation,
      turnId: 't1',
    }));
    expect(checkOrder(operations as Operation[])[0]).toContain('turn t1 has ended already');
  });

  test('no operation of a turn may precede its start', () => {
    expect(problemsOf(text)).toEqual([expect.stringContaining('has not begun')]);
  });

  test('an undo must begin before it ends, and no turn may start meanwhile', () => {
    const undone = { type: 'undone', target: 't1', report, redoable: true, moved: {} } as const;
    expect(problemsOf(...completeTurn, undone)[0]).toContain('no undo or redo of turn');
    expect(problemsOf(...completeTurn, { type: 'redoStarted', target: 't1' }, undone)[0]).toContain(
      'no undo or redo of turn',
    );
    expect(problemsOf(...completeTurn, { type: 'undoStarted', target: 't1' }, ...completeTurn)[0]).toContain(
      'being undone',
    );
    expect(problemsOf(...opening, { type: 'undoStarted', target: 't0' })[0]).toContain('still running');
  });

  test('a domain may be touched only while no turn runs, even during an undo', () => {
    const touched = { type: 'domainTouched', domain: 'board' } as const;
    const undo = [
      { type: 'undoStarted', target: 't1' },
      touched,
      { type: 'undone', target: 't1', report, redoable: true, moved: {} },
    ] as const;
    expect(problemsOf(...completeTurn, touched, ...undo, touched)).toEqual([]);
    expect(problemsOf(...opening, touched)[0]).toContain('still running');
  });

  test('an undo that started for a child turn ends for this child turn', () => {
    const part = { target: 't1', child: 'c1' } as const;
    const started = { type: 'undoStarted', ...part } as const;
    const undone = { type: 'undone', target: 't1', report, redoable: true, moved: {} } as const;
    expect(problemsOf(...completeTurn, started, { ...undone, ...part })).toEqual([]);
    expect(problemsOf(...completeTurn, started, undone)[0]).toContain('it started for c1');
    expect(
      problemsOf(...completeTurn, { type: 'undoStarted', target: 't1' }, { ...undone, ...part })[0],
    ).toContain('it started for the whole turn');
  });

  test('a turn must follow the head, which may move only while nothing runs', () => {
    const started = (parentId: string | null): TurnFact => ({ ...opening[0], parentId }) as TurnFact;
    const moved = (from: string | null, to: string | null): SessionFact => ({
      type: 'headMoved',
      from,
      to,
      stays: [],
    });
    const first = [started(null), ...completeTurn.slice(1)];
    expect(problemsOf(...first, moved('t1', null), started(null))).toEqual([]);
    expect(problemsOf(...first, moved('t1', null), started('t1'))[0]).toContain(
      'it follows t1, and the head is null',
    );
    expect(problemsOf(...first, moved('t0', null))[0]).toContain('the head is t1');
    expect(problemsOf(...opening, moved('t1', null))[0]).toContain('turn t1 is still running');
  });

  test('no operation may follow `disposed`', () => {
    expect(problemsOf({ type: 'disposed' }, { type: 'configured', changed: [] })[0]).toContain(
      'nothing follows',
    );
  });

  test('problems are reported operation by operation', () => {
    const checker = createOrderChecker();
    const [first, second] = stamped(...opening);
    expect(checker.check(first!)).toEqual([]);
    expect(checker.check(second!)).toEqual([]);
    expect(checker.check(second!)).toHaveLength(2);
  });
});

describe('rounds', () => {
  test('must be numbered from 1', () => {
    expect(problemsOf(...opening, roundStarted(2))[0]).toContain('round 2 after round 0');
  });

  test('must end before the next round begins', () => {
    expect(problemsOf(...opening, roundStarted(1), roundStarted(2))[0]).toContain('round 1 is not completed');
  });

  test('must come after the user message', () => {
    expect(problemsOf(opening[0]!, roundStarted(1))[0]).toContain('the user message was not appended');
    expect(problemsOf(opening[0]!, exchange())[0]).toContain('begins with its user message');
  });

  test('text, thinking and calls must arrive inside a model call', () => {
    expect(problemsOf(...opening, text)[0]).toContain('no round is open');
    expect(problemsOf(...opening, roundStarted(1), text)[0]).toContain('outside of a model call');
    expect(problemsOf(...opening, roundStarted(1), asked(), answered(), partial('a', 0))[0]).toContain(
      'outside',
    );
  });

  test('attempts must count up, be announced, and end', () => {
    const round = [...opening, roundStarted(1)];
    expect(problemsOf(...round, asked(2))[0]).toContain('attempt 2 after attempt 0');
    expect(problemsOf(...round, asked(), broke(), asked(2))[0]).toContain('not announced');
    expect(problemsOf(...round, asked(), asked(2))[0]).toContain('has not finished');
    expect(problemsOf(...round, asked(), answered(2))[0]).toContain('finishes while 1 is open');
    expect(problemsOf(...round, answered())[0]).toContain('no model call is open');
    expect(problemsOf(...round, asked(), answered(), asked(2))[0]).toContain('already has its answer');
  });

  test('a visible answer must not be requested again', () => {
    expect(problemsOf(...opening, roundStarted(1), asked(), text, broke(), retrying(2))[0]).toContain(
      'has shown something',
    );
  });

  test('a change of the provider must announce the next attempt, once, and must not follow a visible answer', () => {
    const round = [...opening, roundStarted(1)];
    expect(problemsOf(...round, asked(), broke(), switched(3))[0]).toContain('is announced after 1');
    expect(problemsOf(...round, asked(), broke(), retrying(2), switched(2))[0]).toContain(
      'announced by retrying',
    );
    expect(problemsOf(...round, asked(), switched(2))[0]).toContain('has not failed');
    expect(problemsOf(...round, asked(), answered(), switched(2))[0]).toContain('has not failed');
    expect(problemsOf(...round, asked(), text, broke(), switched(2))[0]).toContain('has shown something');
    expect(problemsOf(...opening, switched(1))[0]).toContain('no round is open');
    expect(problemsOf(...round, switched(1), asked(2))[0]).toContain('attempt 2 after attempt 0');
  });

  test('a complete answer must not be requested again', () => {
    expect(problemsOf(...opening, roundStarted(1), asked(), answered(), retrying(2))[0]).toContain(
      'only an attempt that broke',
    );
  });
});

describe('calls', () => {
  const run = [started('a'), done('a'), started('b'), done('b')];

  test('must arrive in order of their index, and name one tool', () => {
    const answer = [...opening, roundStarted(1), asked()];
    expect(problemsOf(...answer, partial('a', 1))[0]).toContain('index 0, not 1');
    expect(problemsOf(...answer, partial('a', 0), partial('a', 1))[0]).toContain('had index 0');
    const other: TurnFact = { type: 'toolCallPartial', callId: 'a', tool: 'board.drop', index: 0, delta: '' };
    expect(problemsOf(...answer, partial('a', 0), other)[0]).toContain('was for board.add');
  });

  test('must be requested as they arrived', () => {
    const answer = [...opening, roundStarted(1), asked()];
    expect(problemsOf(...answer, partial('a', 0, '{'), answered(), requested('a'))[0]).toContain(
      'not those that arrived',
    );
    expect(problemsOf(...answer, answered(), requested('a'))[0]).toContain('never seen arriving');
    expect(
      problemsOf(...answer, partial('a', 0), partial('b', 1), answered(), requested('b', 'a'))[0],
    ).toContain('stands at');
    expect(problemsOf(...answer, answered(), requested())[0]).toContain('no calls');
  });

  test('must be requested once, when the answer is complete', () => {
    const answer = [...opening, roundStarted(1), asked(), partial('a', 0)];
    expect(problemsOf(...answer, requested('a'))[0]).toContain('no whole answer');
    expect(problemsOf(...answer, broke(), requested('a'))[0]).toContain('no whole answer');
    expect(problemsOf(...opening, ...calling('a'), requested('a'))[0]).toContain('already');
  });

  test('must all be requested before the turn completes', () => {
    const forgetful = lastRound(1).toSpliced(3, 0, partial('a', 0));
    expect(problemsOf(...opening, ...forgetful)).toEqual([
      expect.stringContaining('a arrived and was never asked for'),
    ]);
  });

  test('must all be decided before a call starts', () => {
    expect(
      problemsOf(...withBatch(started('a'), guarded('b'), done('a'), started('b'), done('b')))[0],
    ).toContain('decide first');
    expect(problemsOf(...withBatch(guarded('b', 'confirm'), confirming('b'), ...run))[0]).toContain(
      'still asked',
    );
  });

  test('must not start if they were refused', () => {
    expect(problemsOf(...withBatch(guarded('a', 'deny'), ...run))[0]).toContain('a was refused');
    expect(problemsOf(...withBatch(confirming('a'), resolved('a', 'denied'), ...run))[0]).toContain(
      'a was refused',
    );
    const edited = [
      confirming('a'),
      resolved('a', 'edited'),
      guarded('a', 'deny'),
      started('a', true),
      ...run.slice(1),
    ];
    expect(problemsOf(...withBatch(...edited))[0]).toContain('a was refused');
  });

  test('may be asked about once more if they were approved with a preview, even while other calls run', () => {
    const approved = [previewing('b'), renewed('b'), attended('b'), resolved('b')];
    const again = [previewing('b', 'again-b'), resolvedAgain('b')];
    const rest = [done('a'), started('b'), done('b')];
    expect(problemsOf(...withBatch(...approved, started('a'), ...again, ...rest))).toEqual([]);
    expect(problemsOf(...withBatch(...approved, ...again, ...again, started('a'), ...rest))[0]).toContain(
      'was asked about b already',
    );
    const edited = [previewing('b'), resolved('b', 'edited'), started('a'), ...again];
    expect(problemsOf(...withBatch(...edited, done('a'), started('b', true), done('b')))).toEqual([]);
    expect(problemsOf(...withBatch(...edited, ...rest))[0]).toContain('b was edited by the user');
    const denied = [previewing('b', 'again-b'), resolvedAgain('b', 'denied')];
    expect(problemsOf(...withBatch(...approved, started('a'), ...denied, ...rest))[0]).toContain(
      'was refused',
    );
  });

  test('may change a request only while it is open, and a preview only if there is one', () => {
    const run = [started('a'), done('a'), started('b'), done('b')];
    expect(problemsOf(...withBatch(renewed('a'), ...run))[0]).toContain('is not open');
    expect(problemsOf(...withBatch(attended('a'), ...run))[0]).toContain('is not open');
    expect(problemsOf(...withBatch(confirming('a'), renewed('a'), resolved('a'), ...run))[0]).toContain(
      'has no preview',
    );
    const alone = previewing('a') as Extract<TurnFact, { type: 'confirmationRequested' }>;
    const { digest: _digest, ...request } = alone.request;
    expect(problemsOf(...withBatch({ ...alone, request }, resolved('a'), ...run))[0]).toContain(
      'come together',
    );
  });

  test('must not be asked about if they were refused or asked about twice', () => {
    expect(problemsOf(...withBatch(guarded('a', 'deny'), confirming('a')))[0]).toContain('nothing to ask');
    expect(problemsOf(...withBatch(confirming('a'), resolved('a'), confirming('a')))[0]).toContain('already');
  });

  test('may be answered only while the question is open', () => {
    expect(problemsOf(...withBatch(resolved('a'), ...run))[0]).toContain('is not open');
  });

  test('must say whether the user edited them', () => {
    expect(problemsOf(...withBatch(started('a', true), ...run.slice(1)))[0]).toContain(
      'not edited by the user',
    );
    const edited = [confirming('a'), resolved('a', 'edited')];
    expect(problemsOf(...withBatch(...edited, ...run))[0]).toContain('was edited by the user');
  });

  test('must start in call order, once', () => {
    expect(problemsOf(...withBatch(started('b'), started('a'), done('a'), done('b')))[0]).toContain(
      'after a later one',
    );
    expect(problemsOf(...withBatch(started('a'), ...run))[0]).toContain('a is started, not requested');
  });

  test('may report progress and end only while they run', () => {
    expect(problemsOf(...withBatch(progress('a'), ...run))[0]).toContain('a is requested, not started');
    const unattributed: TurnFact = { type: 'changesUnattributed', callId: 'a', paths: ['cards/1'] };
    expect(problemsOf(...withBatch(unattributed, ...run))[0]).toContain('a is requested, not started');
    expect(problemsOf(...withBatch(...run, progress('b')))[0]).toContain('b is over, not started');
    expect(problemsOf(...withBatch(...run, done('b')))[0]).toContain('b is over, not started');
    expect(problemsOf(...withBatch(done('a')))[0]).toContain('a is requested, not started');
  });

  test('may be rejected only before they start', () => {
    expect(problemsOf(...withBatch(started('a'), rejected('a', 'b')))[0]).toContain(
      'a is started, not requested',
    );
  });

  test('of other rounds are unknown', () => {
    expect(problemsOf(...withBatch(started('x')))[0]).toContain('x is none of this round');
  });

  test('must have ended with one result each when their round is appended', () => {
    expect(problemsOf(...withBatch(started('a'), done('a')))[0]).toContain('b is requested: neither');
    const wrongOrder = [...opening, ...calling('a', 'b'), rejected('a', 'b'), exchange('b', 'a')];
    expect(problemsOf(...wrongOrder)[0]).toContain('in call order');
    const missing = [...opening, ...calling('a', 'b'), rejected('a', 'b'), exchange('a')];
    expect(problemsOf(...missing)[0]).toContain('one for each call');
  });

  test('must be counted, including rejected calls', () => {
    const counted = [
      ...opening,
      ...calling('a', 'b'),
      rejected('a', 'b'),
      exchange('a', 'b'),
      roundCompleted(1, 1),
    ];
    expect(problemsOf(...counted)[0]).toContain('1 calls are counted, 2 were requested');
  });

  test('must join the conversation once, before their round is completed', () => {
    const batch = [...opening, ...calling('a'), rejected('a')];
    expect(problemsOf(...batch, roundCompleted(1, 1))[0]).toContain('were not appended');
    expect(problemsOf(...batch, exchange('a'), exchange('a'))[0]).toContain('appended already');
  });
});

describe('effects', () => {
  const recorded = (step = 1): TurnFact => ({
    type: 'effectRecorded',
    callId: 'a',
    step,
    description: 'Added a card',
    irreversible: false,
  });
  const moved = (type: 'effectReverted' | 'effectReapplied', outcome: 'success' | 'failed' = 'success') =>
    ({ type, callId: 'a', step: 1, outcome }) as const;
  const running = [...opening, roundStarted(1), asked(), partial('a', 0), answered(), requested('a')];

  test('must be recorded by a started call, and numbered from 1', () => {
    expect(problemsOf(...running, recorded())[0]).toContain('call a has not started');
    expect(problemsOf(...running, started('a'), recorded(2))[0]).toContain('effect 2 of call a after 0');
    expect(problemsOf(...running, started('a'), recorded(), recorded(2), done('a'))).toEqual([]);
  });

  test('must be undone and redone alternately', () => {
    const effect = [...running, started('a'), recorded(), done('a')];
    expect(problemsOf(...running, started('a'), moved('effectReverted'))[0]).toContain('no effect 1');
    expect(problemsOf(...effect, moved('effectReapplied'))[0]).toContain('is in effect');
    expect(problemsOf(...effect, moved('effectReverted', 'failed'), moved('effectReverted'))).toEqual([]);
    expect(problemsOf(...effect, moved('effectReverted'), moved('effectReverted'))[0]).toContain(
      'is not in effect',
    );
  });

  test('may be moved by the session only after the end of their turn', () => {
    const turn = stamped(...running, started('a'), recorded());
    const outside = { ...moved('effectReverted'), target: 't1', sequence: turn.length + 1, at: 1 };
    expect(checkOrder([...turn, outside])[0]).toContain('turn t1 has not ended');
  });
});

describe('the end of a turn', () => {
  const answer = [...opening, roundStarted(1), asked(), text, answered()];

  test('may complete only after its effects were committed and its round was completed', () => {
    expect(problemsOf(...answer, roundCompleted(1), completed(1))[0]).toContain('not committed');
    expect(problemsOf(...answer, commitStarted, committed, completed(1))[0]).toContain(
      'roundCompleted must come right before',
    );
  });

  test('must state the number of rounds', () => {
    expect(problemsOf(...opening, ...lastRound(1).slice(0, -1), completed(2))[0]).toContain(
      '2 rounds are counted',
    );
    expect(problemsOf(...opening, ...lastRound(1).slice(0, -1), completed(0))[0]).toContain('0 of 1 rounds');
  });

  test('must be rolled back or committed directly before it stops, fails or is cancelled', () => {
    expect(problemsOf(...answer, stopped)[0]).toContain('committed must come right before');
    expect(problemsOf(...answer, failed)[0]).toContain('rolledBack must come right before');
    expect(problemsOf(...answer, cancelRequested, cancelled())[0]).toContain(
      'rolledBack must come right before',
    );
    expect(problemsOf(...answer, cancelRequested, ...rollback, cancelled(null))[0]).toContain(
      'committed must come',
    );
    expect(problemsOf(...answer, ...rollback, text, failed)).toHaveLength(3);
  });

  test('must be announced before it happens, and must not change afterwards', () => {
    expect(problemsOf(...answer, committed, stopped)[0]).toContain('commitStarted must come before');
    expect(problemsOf(...answer, rollback[1]!, failed)[0]).toContain('rollbackStarted must come before');
    expect(problemsOf(...answer, ...rollback, commitStarted, committed, stopped)[0]).toContain(
      'after rolledBack',
    );
    expect(problemsOf(...answer, commitStarted, committed, ...rollback, failed)[0]).toContain(
      'after committed',
    );
  });

  test('may be cancelled only after a cancel was requested', () => {
    expect(problemsOf(...answer, ...rollback, cancelled())).toEqual([
      expect.stringContaining('no cancel was requested'),
    ]);
  });

  test('allows no further work, and appends nothing that was rolled back', () => {
    expect(problemsOf(...answer, commitStarted, text)[0]).toContain('after commitStarted');
    expect(problemsOf(...answer, ...rollback, assistantMessage)[0]).toContain('after rolledBack');
  });
});

describe('the tool choice of a turn', () => {
  const given = (toolChoice: TurnOptions['toolChoice']): readonly TurnFact[] => [
    { ...opening[0]!, options: { toolChoice } } as TurnFact,
    opening[1]!,
  ];
  const called = (...rest: readonly TurnFact[]) => [...calling('a'), started('a'), done('a'), ...rest];

  test('prevents excluded calls from starting', () => {
    expect(problemsOf(...given('none'), ...called())[0]).toContain('the turn may call no tool');
    expect(problemsOf(...given({ tool: 'other.tool' }), ...called())[0]).toContain('other.tool only');
    expect(problemsOf(...given('required'), ...called())).toEqual([]);
  });

  test('prevents a turn from completing if its first round called no tool', () => {
    for (const choice of ['required', { tool: 'other.tool' }] as const)
      expect(problemsOf(...given(choice), ...lastRound(1))).toEqual([
        expect.stringContaining('the first round had to call a tool'),
      ]);
    expect(problemsOf(...given('none'), ...lastRound(1))).toEqual([]);
  });

  test('applies only to the first round', () => {
    const rounds = [...called(exchange('a'), roundCompleted(1, 1)), ...lastRound(2)];
    expect(problemsOf(...given('required'), ...rounds)).toEqual([]);
  });
});

describe('the domains that a turn activates', () => {
  const limited = (limits: JsonObject, toolChoice?: TurnOptions['toolChoice']): readonly TurnFact[] => [
    { ...opening[0]!, limits, ...(toolChoice && { options: { toolChoice } }) } as TurnFact,
    opening[1]!,
  ];
  const activated = (by: 'model' | 'choice', round: number, ...ids: readonly string[]): TurnFact => ({
    type: 'domainsActivated',
    ids,
    round,
    by,
  });
  const using = (id: string) => {
    const facts = [...calling(id), started(id)];
    return facts.map(
      (fact) => JSON.parse(JSON.stringify(fact).replaceAll('board.add', 'banister.use_domain')) as TurnFact,
    );
  };
  const round = (number: number, id: string, ...inside: readonly TurnFact[]) => {
    const [first, ...rest] = using(id);
    const begun = { ...first!, round: number } as TurnFact;
    return [begun, ...rest, ...inside, done(id), exchange(id), roundCompleted(number, 1)];
  };

  test('must be activated by a running call of the round, each domain once', () => {
    expect(
      problemsOf(
        ...limited({ maxRebuilds: 1 }),
        ...round(1, 'a', activated('model', 1, 'mail')),
        ...lastRound(2),
      ),
    ).toEqual([]);
    expect(
      problemsOf(...limited({}), ...round(1, 'a', activated('model', 2, 'mail')), ...lastRound(2))[0],
    ).toContain('round 1 is open, not 2');
    expect(problemsOf(...limited({}), ...round(1, 'a', activated('model', 1)), ...lastRound(2))[0]).toContain(
      'no domains',
    );
    expect(
      problemsOf(...limited({}), ...round(1, 'a', activated('model', 1, 'mail', 'mail')), ...lastRound(2))[0],
    ).toContain('activated mail before');
    const late = [
      ...using('a'),
      done('a'),
      activated('model', 1, 'mail'),
      exchange('a'),
      roundCompleted(1, 1),
    ];
    expect(problemsOf(...limited({}), ...late, ...lastRound(2))[0]).toContain(
      'no call of banister.use_domain runs',
    );
    const other = [...calling('a'), started('a'), activated('model', 1, 'mail'), done('a')];
    expect(problemsOf(...limited({}), ...other)[0]).toContain('no call of banister.use_domain runs');
    expect(problemsOf(...limited({}), activated('model', 0, 'mail'))[0]).toContain('no round is open');
  });

  test('must stay within the rounds that `maxRebuilds` permits', () => {
    const two = [
      ...round(1, 'a', activated('model', 1, 'mail'), activated('model', 1, 'map')),
      ...round(2, 'b', activated('model', 2, 'board')),
    ];
    expect(problemsOf(...limited({ maxRebuilds: 2 }), ...two, ...lastRound(3))).toEqual([]);
    expect(problemsOf(...limited({}), ...two, ...lastRound(3))).toEqual([]);
    expect(problemsOf(...limited({ maxRebuilds: 1 }), ...two, ...lastRound(3))).toEqual([
      expect.stringContaining('permits only 1 of the rounds'),
    ]);
  });

  test('without tools count for no rebuild', () => {
    const same = { ...activated('model', 1, 'notes'), sameTools: true } as TurnFact;
    const two = [...round(1, 'a', same), ...round(2, 'b', activated('model', 2, 'board'))];
    expect(problemsOf(...limited({ maxRebuilds: 1 }), ...two, ...lastRound(3))).toEqual([]);
  });

  test('by the option `use` must be named by it', () => {
    const opened = [{ ...opening[0]!, options: { use: ['notes', 'mail'] } } as TurnFact, opening[1]!];
    const first = (...ids: readonly string[]) => {
      const [begun, ...rest] = calling('a');
      const fact = activated('choice', 1, ...ids);
      return [begun!, fact, ...rest, started('a'), done('a'), exchange('a'), roundCompleted(1, 1)];
    };
    expect(problemsOf(...opened, ...first('notes', 'mail'), ...lastRound(2))).toEqual([]);
    expect(problemsOf(...opened, ...first('board'), ...lastRound(2))[0]).toContain('do not name board');
  });

  test('by the tool choice must be the domain of the chosen tool, in the first round', () => {
    const choice = { tool: 'board.add' };
    const first = (fact: TurnFact) => {
      const [begun, ...rest] = calling('a');
      return [begun!, fact, ...rest, started('a'), done('a'), exchange('a'), roundCompleted(1, 1)];
    };
    expect(
      problemsOf(
        ...limited({ maxRebuilds: 0 }, choice),
        ...first(activated('choice', 1, 'board')),
        ...lastRound(2),
      ),
    ).toEqual([]);
    for (const wrong of [activated('choice', 1, 'mail'), activated('choice', 1, 'board', 'mail')])
      expect(problemsOf(...limited({}, choice), ...first(wrong), ...lastRound(2))[0]).toContain(
        'the options of the turn do not name',
      );
    expect(
      problemsOf(...limited({}, 'required'), ...first(activated('choice', 1, 'board')), ...lastRound(2))[0],
    ).toContain('the options of the turn do not name');
    const second = [
      ...first(activated('choice', 1, 'board')),
      roundStarted(2),
      activated('choice', 2, 'board'),
    ];
    expect(problemsOf(...limited({}, choice), ...second)[0]).toContain('activated board before');
    expect(problemsOf(...limited({}, choice), ...second)[1]).toContain('bind the first round');
  });
});
