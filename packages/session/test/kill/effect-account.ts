import type {
  Operation,
  OperationOf,
  SessionState,
  TurnRecord,
  UndoItem,
  UndoReport,
} from '@banister/session';
import { childrenOf } from '../../src/conversation/child-turns.js';
import { allCallsOf } from '../../src/conversation/turn-record.js';
import { foldStateOf } from '../../src/state/session-state.js';
import { actsOnce, type World } from './kill-app.js';

/** The place of an effect of a call in the reports of its turn. */
type Place = 'in place' | 'gone' | 'unknown';

/**
 * Returns the problems of the reports at the end of a log: each call that acted, or recorded an effect, is named exactly once, the app
 * has the effects that the reports list as staying, and no call of a tool that must not act twice did.
 */
export function reportProblems(
  state: SessionState,
  operations: readonly Operation[],
  world: World,
): readonly string[] {
  const problems: string[] = [];
  const tools = new Map(
    operations.flatMap((operation) =>
      operation.type === 'toolStarted' ? [[operation.callId, operation.tool] as const] : [],
    ),
  );
  for (const [callId, count] of Object.entries(world.acts))
    if (count > 1 && actsOnce.includes(tools.get(callId) ?? ''))
      problems.push(`${callId} acted ${count} times`);
  const places = new Map<string, Place>();
  for (const turn of allTurns(state)) {
    const { listed, problems: found } = placesOf(turn);
    problems.push(...found);
    for (const [callId, place] of listed) places.set(callId, place);
  }
  for (const callId of revertedLate(operations)) if (!places.has(callId)) places.set(callId, 'gone');
  const { running, stuck } = doubtfulCalls(operations);
  const titles = titlesOf(operations);
  const behind = revertedBehindReport(operations);
  const concerned = new Set([...Object.keys(world.acts), ...titles.keys(), ...hostedIn(operations)]);
  for (const callId of concerned) {
    const tool = tools.get(callId);
    const place = places.get(callId);
    const cards = world.cards.filter((card) => card.callId === callId).map(({ title }) => title);
    if (behind.has(callId)) {
      if (cards.length > 0 && !stuck.has(callId))
        problems.push(`${callId} was taken back late, and is there`);
      continue;
    }
    if (place === undefined && tool !== 'board.broken') {
      problems.push(`${callId} of ${tool} is in no report; its cards: ${cards.join()}`);
      continue;
    }
    if (place === 'gone' && cards.length > 0 && !stuck.has(callId))
      problems.push(`${callId} is gone, and ${cards.join()} is there`);
    const missing = (titles.get(callId) ?? []).filter((title) => !cards.includes(title));
    if (place === 'in place' && missing.length > 0 && !running.has(callId) && !stuck.has(callId))
      problems.push(`${callId} is in place, and ${missing.join()} is missing`);
  }
  return problems;
}

/**
 * Returns the effects of `undoEntries` whose place is another one than that of their cards: an effect that the record of its call has as
 * taken back is gone, and every other one that is not lost is there.
 */
export function entryProblems(
  state: SessionState,
  operations: readonly Operation[],
  { cards }: World,
): readonly string[] {
  const { running, stuck } = doubtfulCalls(operations);
  const behind = revertedBehindReport(operations);
  const titles = titlesOf(operations);
  const turns = new Map(allTurns(state).map((turn) => [turn.id, turn]));
  return state.undoEntries.flatMap(({ turnId, effects, state: own, offPath }) => {
    const turn = turns.get(turnId)!;
    const { undo } = turn;
    const reverted = revertedIn(turn);
    const isOff = !state.turns.some(({ id }) => id === turnId);
    const problems = [
      ...(isOff === (offPath ?? false) ? [] : [`the entry of ${turnId} is at the wrong path`]),
      ...((undo === undefined || undo.state === 'redone' ? 'done' : undo.state) === own
        ? []
        : [`the entry of ${turnId} is ${own}, its record ${undo?.state}`]),
    ];
    for (const { toolCallId: callId, irreversible } of effects) {
      if (stuck.has(callId) || running.has(callId) || behind.has(callId)) continue;
      const own = titles.get(callId) ?? [];
      const there = own.filter((title) =>
        cards.some((card) => card.callId === callId && card.title === title),
      );
      if (irreversible && reverted.has(callId)) problems.push(`${callId} cannot be taken back, and was`);
      if (reverted.has(callId) && there.length > 0) problems.push(`${callId} was taken back, and is there`);
      if (!reverted.has(callId) && there.length < own.length)
        problems.push(`${callId} is in force, and missing`);
    }
    return problems;
  });
}

/** Returns the ids of the calls whose effects the record of a turn has as taken back. */
function revertedIn(turn: TurnRecord): ReadonlySet<string> {
  return new Set(allCallsOf(turn).flatMap(({ id, reverted }) => (reverted === true ? [id] : [])));
}

/** Returns the turns that have ended, on the path and off it. */
export function allTurns(state: SessionState): readonly TurnRecord[] {
  return [...state.turns, ...foldStateOf(state).fold.aside.map(({ turn }) => turn)];
}

/** Returns the place of each call in the reports of its turn. */
function placesOf(turn: TurnRecord) {
  const listed = new Map<string, Place>();
  const problems: string[] = [];
  const add = (callId: string, place: Place) => {
    if (listed.has(callId)) problems.push(`${callId} is named twice in the report of ${turn.id}`);
    listed.set(callId, place);
  };
  const { report } = turn.outcome ?? {};
  for (const { toolCallId } of turn.effects) add(toolCallId, 'in place');
  for (const { toolCallId } of turn.rejected ?? []) add(toolCallId, 'gone');
  // The report of a review that was ended lists some of these again.
  if (report !== undefined) addReport(without(report, new Set(listed.keys())), add);
  else for (const { toolCallId } of turn.unknown ?? []) add(toolCallId, 'unknown');
  const reverted = revertedIn(turn);
  // The report of a child turn may list calls that the report of the turn lists too.
  for (const { outcome, effects } of childrenOf(turn)) {
    // A run that asks for other work takes the effects of its child turn back after the end of the child turn.
    for (const { toolCallId } of effects)
      if (!listed.has(toolCallId) && reverted.has(toolCallId)) add(toolCallId, 'gone');
    for (const { toolCallId } of outcome?.report?.done ?? [])
      if (!listed.has(toolCallId)) add(toolCallId, 'gone');
    for (const { toolCallId } of outcome?.report?.unknown ?? [])
      if (!listed.has(toolCallId)) add(toolCallId, 'unknown');
  }
  if (turn.undo !== undefined) addUndo(turn, listed, problems);
  return { listed, problems };
}

/** Returns a report without the effects of these calls. */
function without(report: UndoReport, calls: ReadonlySet<string>): UndoReport {
  const rest = <Item extends UndoItem>(items: readonly Item[]) =>
    items.filter(({ toolCallId }) => !calls.has(toolCallId));
  const { done, failed, irreversible, lost, unknown } = report;
  return {
    done: rest(done),
    failed: rest(failed),
    irreversible: rest(irreversible),
    lost: rest(lost),
    unknown,
  };
}

function addReport(report: UndoReport, add: (callId: string, place: Place) => void): void {
  for (const { toolCallId } of report.done) add(toolCallId, 'gone');
  for (const { toolCallId } of [...report.failed, ...report.irreversible, ...report.lost])
    add(toolCallId, 'in place');
  for (const { toolCallId } of report.unknown) add(toolCallId, 'unknown');
}

function addUndo(turn: TurnRecord, listed: Map<string, Place>, problems: string[]): void {
  const { id, undo } = turn;
  const { state, report } = undo!;
  // The last undo or redo does not name the effects that were not to be moved.
  for (const callId of revertedIn(turn)) listed.set(callId, 'gone');
  const once = new Set<string>();
  const isUndo = state === 'undone' || state === 'partly-undone';
  addReport(report, (callId, place) => {
    if (once.has(callId)) problems.push(`${callId} is named twice in the undo of ${id}`);
    once.add(callId);
    if (isUndo) listed.set(callId, place);
    else listed.set(callId, report.done.some((item) => item.toolCallId === callId) ? 'in place' : 'unknown');
  });
}

/**
 * Returns the calls that were cut, and whose effect was taken back when they ended late: no turn that goes on lists them. The log may end
 * before it has the end of the call.
 */
function revertedLate(operations: readonly Operation[]): ReadonlySet<string> {
  const reverted = new Set<string>();
  const cut = new Set<string>();
  for (const operation of operations) {
    if (operation.type === 'toolFailed' && operation.outcome === 'timed-out') cut.add(operation.callId);
    if (operation.type === 'effectReverted' && operation.outcome === 'success' && cut.has(operation.callId))
      reverted.add(operation.callId);
    if (operation.type === 'lateToolSettled' && operation.settlement.effect === 'reverted')
      reverted.add(operation.callId);
  }
  return reverted;
}

/**
 * Returns the calls of which an effect was taken back by code that exceeded its time, and that was not made again since. A report that was
 * made before lists the effect as failed.
 */
function revertedBehindReport(operations: readonly Operation[]): ReadonlySet<string> {
  const slow = new Set<string>();
  const reverted = new Set<string>();
  for (const operation of operations) {
    if (operation.type !== 'effectReverted' && operation.type !== 'effectReapplied') continue;
    const { type, callId, outcome } = operation;
    if (type === 'effectReverted' && outcome === 'timed-out') slow.add(callId);
    else if (outcome === 'success' && type === 'effectReapplied') reverted.delete(callId);
    else if (outcome === 'success' && slow.has(callId)) reverted.add(callId);
  }
  return reverted;
}

/** Whether the executor of a call has ended. That of a call which was cut runs on. */
function isEnd(
  operation: Operation,
): operation is OperationOf<'toolCompleted' | 'toolFailed' | 'lateToolSettled'> {
  const { type } = operation;
  if (type === 'toolFailed') return operation.outcome !== 'timed-out';
  return type === 'toolCompleted' || type === 'lateToolSettled';
}

/** Returns the titles that each call recorded as its effects, by id of the call. */
function titlesOf(operations: readonly Operation[]): ReadonlyMap<string, readonly string[]> {
  const titles = new Map<string, readonly string[]>();
  for (const { callId, description } of operations.filter(isRecorded))
    if (!/^(board|team)\./.test(description) && !isHosted(description))
      titles.set(callId, [...new Set([...(titles.get(callId) ?? []), description])]);
  return titles;
}

/** Returns the calls of tools of the provider that the user approved: they put no card on the board. */
function hostedIn(operations: readonly Operation[]): readonly string[] {
  return operations.filter(isRecorded).flatMap((one) => (isHosted(one.description) ? [one.callId] : []));
}

function isHosted(description: string): boolean {
  return description.startsWith('zip.');
}

function isRecorded(operation: Operation): operation is OperationOf<'effectRecorded'> {
  return operation.type === 'effectRecorded';
}

/**
 * Returns the calls of which the log cannot have the truth. `running`: those that were running when a session was killed, or whose code
 * to take them back had exceeded its time and was running. `stuck`: those
 * that a session which was killed in a rollback, an undo or a redo may have moved without a record, and that the next one cannot move.
 */
function doubtfulCalls(operations: readonly Operation[]) {
  const running = new Set<string>();
  const stuck = new Set<string>();
  const open = new Set<string>();
  const started = new Set<string>();
  /** Calls whose effects have closures alone. A history of the app takes them back only after the commit, so that no reject goes on. */
  const withoutData = new Set<string>();
  const reverting = new Set<string>();
  let isMoving = false;
  let isRejecting = false;
  for (const operation of operations) {
    const { type } = operation;
    if (operation.type === 'toolStarted') {
      open.add(operation.callId);
      started.add(operation.callId);
    }
    if (isEnd(operation)) open.delete(operation.callId);
    if (operation.type === 'effectRecorded' && operation.data === undefined)
      withoutData.add(operation.callId);
    if (operation.type === 'effectReverted') {
      if (operation.outcome === 'timed-out') reverting.add(operation.callId);
      else reverting.delete(operation.callId);
    }
    if (type === 'rejectStarted') isRejecting = true;
    if (type === 'reviewResolved') isRejecting = false;
    if (['rollbackStarted', 'undoStarted', 'redoStarted'].includes(type)) isMoving = true;
    if (['rolledBack', 'undone', 'redone'].includes(type)) isMoving = false;
    if (operation.type !== 'ownerChanged') continue;
    for (const id of [...open, ...reverting]) running.add(id);
    const revertible = new Set(operation.revertible.map(({ callId }) => callId));
    if (isRejecting) for (const id of withoutData) stuck.add(id);
    if (isMoving || isRejecting) for (const id of started) if (!revertible.has(id)) stuck.add(id);
  }
  return { running, stuck };
}
