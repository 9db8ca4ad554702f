import type { Operation, SessionState, TurnRecord } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { resumedState } from '../../src/state/resumed-state.js';
import fc from 'fast-check';

/** A fact without its number and time; turn facts get the id of their turn. */
type Fact = { readonly type: string; readonly turnId?: string; readonly [field: string]: unknown };

const line = { spent: 1, left: 3 };
const budget = { rounds: line, toolCalls: line, timeMs: line, tokens: { spent: 0, left: null }, cost: line };
const result = (outcome: string, text: string) => ({ outcome, content: [{ type: 'text', text }] });

/** Numbers that a log is made from: each decides about one thing, 0 being the simplest. */
export type Dice = () => number;

/** The log of a possible session: some turns, each with its rounds, calls and end, and undo between them. */
export const operationLogs: fc.Arbitrary<readonly Operation[]> = fc.noBias(
  fc.array(fc.nat(999), { minLength: 20, maxLength: 400, size: 'max' }).map((numbers) => {
    let position = 0;
    return logOf(
      () => numbers[position++] ?? 0,
      () => position >= numbers.length,
    );
  }),
);

function logOf(roll: Dice, isOver: () => boolean): readonly Operation[] {
  const facts: Fact[] = [];
  const committed: string[] = [];
  const parents = new Map<string, string | null>();
  let head: string | null = null;
  for (let number = 1; !isOver() && number < 8; number++) {
    const turnId = `turn-${number}`;
    parents.set(turnId, head);
    if (turnOf(turnId, head, roll, facts)) committed.push(turnId);
    betweenTurns(committed, roll, facts);
    queueOf(turnId, roll, facts);
    head = turnId;
    if (roll() % 5 === 0) {
      facts.push({ type: 'pathCleared', id: `mark-${number}` });
      head = `mark-${number}`;
      continue;
    }
    if (roll() % 3 > 0) continue;
    // A retry moves the head to the parent; other moves lead to any turn.
    const to = roll() % 2 === 0 ? parents.get(turnId)! : `turn-${1 + (roll() % number)}`;
    const stays = roll() % 2 === 0 ? [] : [{ ...addedBy(turnId), turnId }];
    facts.push({ type: 'headMoved', from: head, to, stays });
    head = to;
  }
  return facts.map(
    (fact, index) => ({ ...fact, sequence: index + 1, at: 1_000 + index }) as unknown as Operation,
  );
}

/** @returns whether the turn left effects */
function turnOf(turnId: string, parentId: string | null, roll: Dice, facts: Fact[]): boolean {
  const say = (fact: Fact) => facts.push({ ...fact, turnId });
  const input = { id: `${turnId}-input`, role: 'user', parts: [{ type: 'text', text: `Do ${turnId}` }] };
  const options = roll() % 4 === 0 ? { options: { limits: { maxRounds: 8, maxTokens: null } } } : {};
  const limits = { maxRounds: 8 };
  const provider = { id: 'p', model: 'm' };
  say({ type: 'turnStarted', input, limits, provider, budget, parentId, ...options });
  say({ type: 'messagesAppended', messages: [input] });
  const effects: unknown[] = [];
  const rounds = 1 + (roll() % 3);
  for (let round = 1; round <= rounds; round++) {
    const last = round === rounds;
    const whole = roundOf(`${turnId}-${round}`, round, last ? 0 : 1 + (roll() % 3), roll, say, effects);
    if (!whole) break;
    if (last) continue;
    say({ type: 'roundCompleted', round, usage: null, totalUsage: null, toolCalls: 1, budget });
    steeredAfter(turnId, round, roll, facts);
  }
  return endOf(turnId, roll, say, effects);
}

/** A message of the user that joins the turn, or does not. */
function steeredAfter(turnId: string, round: number, roll: Dice, facts: Fact[]): void {
  if (roll() % 3 > 0) return;
  const id = `${turnId}-${round}-steer`;
  const parts = [{ type: 'text', text: id }];
  facts.push({ type: 'queued', id, input: id, steering: true, before: null });
  if (roll() % 3 > 0)
    facts.push({ type: 'steered', turnId, id, message: { id, role: 'user', parts }, round });
}

/** Messages that wait for a turn: put into the queue, moved, removed. */
function queueOf(turnId: string, roll: Dice, facts: Fact[]): void {
  const [first, second] = [`${turnId}-a`, `${turnId}-b`];
  const queued = { type: 'queued', steering: false, input: turnId };
  if (roll() % 3 > 0) return;
  const command = roll() % 2 === 0 ? { command: `${turnId}-command` } : {};
  if ('command' in command)
    facts.push({ type: 'commandBegan', ...command, name: 'enqueue', client: 'tab-2' });
  facts.push({ ...queued, ...command, id: first, before: null, options: { limits: { maxRounds: 3 } } });
  facts.push({ ...queued, id: second, before: roll() % 2 === 0 ? first : null });
  if (roll() % 2 === 0) facts.push({ ...queued, id: first, input: 'changed', before: second });
  if (roll() % 2 === 0) facts.push({ type: 'queueResumed' });
  const reason = ['removed', 'refused', 'started'][roll() % 3];
  facts.push({ type: 'dequeued', id: first, reason, ...(reason === 'started' ? { target: 'next' } : {}) });
}

function roundOf(
  prefix: string,
  round: number,
  calls: number,
  roll: Dice,
  say: (fact: Fact) => void,
  effects: unknown[],
): boolean {
  say({ type: 'roundStarted', round, budget, contextPressure: null });
  say({ type: 'modelCallStarted', attempt: 1, model: 'm', request: { messages: [] } });
  const parts: Record<string, unknown>[] = [];
  for (let piece = roll() % 4; piece > 0; piece--) {
    const delta = `piece ${roll()}`;
    if (roll() % 3 === 0) {
      say({ type: 'thinking', delta, ...(roll() % 2 === 0 ? { signature: 's' } : {}) });
      continue;
    }
    say({ type: 'text', delta });
    parts.push({ type: 'text', text: delta });
  }
  if (roll() % 9 === 8) return false;
  const requested = Array.from({ length: calls }, (_, index) => {
    const callId = `${prefix}-call-${index}`;
    const argumentsText = JSON.stringify({ title: `t${roll()}`, list: [roll(), { deep: 'x' }] });
    const cut = roll() % argumentsText.length;
    for (const delta of [argumentsText.slice(0, cut), argumentsText.slice(cut)])
      say({ type: 'toolCallPartial', callId, tool: 'board.add', index, delta });
    return { callId, tool: 'board.add', argumentsText, arguments: JSON.parse(argumentsText) as unknown };
  });
  say({ type: 'usage', report: { inputTokens: roll() }, budget });
  say({ type: 'modelCallFinished', attempt: 1, usage: null, stopReason: 'stop', error: null, budget });
  if (calls === 0) return true;
  say({ type: 'toolsRequested', calls: requested });
  const results = requested.map(({ callId, arguments: args }) => ({
    type: 'tool-result',
    callId,
    ...settle(callId, args, roll, say, effects),
  }));
  const called = requested.map(({ callId, ...call }) => ({ type: 'tool-call', id: callId, ...call }));
  say({
    type: 'messagesAppended',
    messages: [
      { id: `${prefix}-assistant`, role: 'assistant', parts: [...parts, ...called] },
      { id: `${prefix}-results`, role: 'user', parts: results },
    ],
  });
  return true;
}

function settle(callId: string, args: unknown, roll: Dice, say: (fact: Fact) => void, effects: unknown[]) {
  const choice = roll() % 5;
  if (choice === 4) {
    const rejected = result('rejected', 'No.');
    say({ type: 'toolsRejected', calls: [{ callId, reason: 'denied', result: rejected }] });
    return rejected;
  }
  if (choice === 3) {
    const id = `ask-${callId}`;
    const call = { id: callId, tool: 'board.add', arguments: args };
    say({
      type: 'confirmationRequested',
      request: {
        id,
        call,
        reason: 'Sure?',
        guard: 'g',
        irreversible: false,
        expiresAt: 5,
        answeredBy: 'signal',
      },
    });
    say({
      type: 'confirmationResolved',
      requestId: id,
      callId,
      decision: 'edited',
      by: 'user',
      deadlines: {},
    });
  }
  say({ type: 'toolStarted', callId, tool: 'board.add', arguments: args, edited: choice === 3, budget });
  for (let patch = roll() % 3; patch > 0; patch--)
    say({ type: 'toolProgress', callId, patch: { [`p${patch}`]: roll() } });
  if (roll() % 4 === 0) say({ type: 'changesUnattributed', callId, paths: [`cards/${roll()}`] });
  const outcome = choice === 2 ? 'failed' : 'success';
  const settled = result(outcome, 'Answer');
  say({
    type: outcome === 'failed' ? 'toolFailed' : 'toolCompleted',
    callId,
    outcome,
    result: settled,
    budget,
  });
  if (outcome === 'success')
    effects.push({ toolCallId: callId, toolName: 'board.add', description: 'Added', irreversible: false });
  return settled;
}

function endOf(turnId: string, roll: Dice, say: (fact: Fact) => void, effects: readonly unknown[]): boolean {
  const ending = { usage: null, budget, rounds: 1 };
  const choice = roll() % 4;
  if (choice < 2) {
    say({ type: 'commitStarted' });
    const message = { id: `${turnId}-answer`, role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] };
    say({ type: 'messagesAppended', messages: [message] });
    say({ type: 'committed', effects, unknown: [], undoable: effects.length > 0, redoable: true });
    say({ type: 'roundCompleted', round: 1, usage: null, totalUsage: null, toolCalls: 0, budget });
    say({ type: 'completed', ...ending, text: 'Done.', messages: [message] });
    return effects.length > 0;
  }
  const report = { done: effects, failed: [], irreversible: [], lost: [], unknown: [] };
  if (choice === 2) say({ type: 'cancelRequested', level: 'cancel', sideEffects: 'rollback' });
  say({ type: 'rollbackStarted' });
  say({ type: 'rolledBack', report });
  if (choice === 2) say({ type: 'cancelled', ...ending, report });
  else
    say({
      type: 'failed',
      ...ending,
      report,
      error: { code: 'network', message: 'Gone.', retry: 'now', details: {} },
    });
  return false;
}

function addedBy(turnId: string) {
  return { toolCallId: `${turnId}-1-call-0`, toolName: 'board.add', description: 'Added' };
}

function betweenTurns(committed: string[], roll: Dice, facts: Fact[]): void {
  const target = committed.at(-1);
  if (target === undefined || roll() % 2 === 0) return;
  const item = addedBy(target);
  const report = {
    done: [item],
    failed: roll() % 4 === 0 ? [{ ...item, reason: 'no' }] : [],
    irreversible: [],
    lost: [],
    unknown: [],
  };
  facts.push({ type: 'undoStarted', target }, { type: 'undone', target, report, redoable: true });
  if (roll() % 2 === 0) facts.push({ type: 'redoStarted', target }, { type: 'redone', target, report });
  if (roll() % 3 === 0)
    facts.push({
      type: 'lateToolSettled',
      callId: item.toolCallId,
      tool: item.toolName,
      target,
      settlement: { outcome: 'succeeded', effect: 'reverted' },
    });
}

/** The first states of a log, among them a resumed one. */
export const firstStates: fc.Arbitrary<SessionState> = fc.boolean().map((resumed) => {
  if (!resumed) return initialState();
  const input = { id: 'old', role: 'user', parts: [{ type: 'text', text: 'Before' }] } as const;
  const turn: TurnRecord = {
    id: 'old-turn',
    parentId: null,
    input,
    rounds: [],
    status: 'completed',
    outcome: { status: 'completed', usage: null, rounds: 0 },
    messageIds: ['old'],
    effects: [],
  };
  return resumedState({
    sequence: 0,
    headTurnId: turn.id,
    conversation: { messages: [input] },
    turns: [turn],
    liveTurn: null,
    aside: [],
    undo: {},
    redo: [],
    marks: [],
    compactions: [],
    attachments: {},
    prefix: null,
  });
});
