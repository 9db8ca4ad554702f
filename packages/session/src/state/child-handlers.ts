import type { UsageReport } from '@banister/provider';
import { totalTokensOf } from '@banister/provider/internal/messages/usage-amounts';
import { addUsage, totalsOf } from '@banister/provider/internal/messages/usage-report';
import { defined } from '@banister/provider/internal/json/defined';
import { withDeadlines } from '../consent/confirmation-handlers.js';
import type { ChildTurn, TurnOutcome, TurnRecord, TurnStatus } from '../conversation/turn-record.js';
import { childrenOf } from '../conversation/child-turns.js';
import { budgetLine, type Budget, type BudgetLine } from '../operations/budget.js';
import type { ChildStarted } from '../operations/child-operations.js';
import { isTerminal, type ChildFact, type Operation, type OperationOf } from '../operations/operation.js';
import { append, set, type Change, type Path } from './change.js';
import { childState, openBelow, recordOf } from './child-state.js';
import { reduce, type AllHandlers } from './handlers.js';
import { withReverted } from './reverted-calls.js';
import { afterReject } from './revision-notes.js';
import type { FoldState } from './session-state.js';
import { callAt } from './tool-handlers.js';
import { newTurnNotes, noteRevisions, type ChildNotes } from './turn-notes.js';
import { noteCalls, withCalls } from './undo-notes.js';

type Leaf = OperationOf<'subagent'>;
type Terminal = Extract<ChildFact, { readonly type: TurnStatus }>;

/**
 * Returns the changes of a fact of a child turn: the handlers of any turn are applied to the state as the child turn sees it, and their
 * changes are moved to the places of the child turn.
 */
export function leafChanges(handlers: AllHandlers, state: FoldState, leaf: Leaf): readonly Change[] {
  const { path, inner } = leaf;
  if (inner.type === 'turnStarted') return started(state, leaf, inner);
  const notes = state.fold.turn?.children?.[path.at(-1)!];
  if (notes === undefined) return inner.type === 'rolledBack' ? takenBack(state, leaf.turnId, inner) : [];
  if (inner.type === 'text') {
    const text = nextText(state, notes, inner.delta);
    if (text !== null) return text;
  }
  const changes = isTerminal(inner) ? ended(state, inner, notes) : openChanges(handlers, state, leaf, notes);
  const before = recordOf(state, notes);
  const { usage, budget } = changes.reduce((record, change) => withField(record, notes, change), before);
  if (usage === before.usage && budget === before.budget) return changes;
  return [
    ...changes,
    ...spentAbove(state, path, budget.toolCalls.spent - before.budget.toolCalls.spent, usage),
  ];
}

/** Returns the record with the value of a change of the record, or of one of its fields. */
function withField(record: ChildTurn, { place }: ChildNotes, { path, value }: Change): ChildTurn {
  if (path[0] !== 'liveTurn') return record;
  if (path.length === place.length) return value as ChildTurn;
  return path.length === place.length + 1 ? { ...record, [path.at(-1)!]: value } : record;
}

/** Returns the changes of a further piece of a text, without a view of the state, because a child turn has thousands; null for any other piece. */
function nextText(state: FoldState, notes: ChildNotes, delta: string): readonly Change[] | null {
  const { place, path } = notes;
  const { rounds } = recordOf(state, notes);
  const parts = rounds.at(-1)?.parts ?? [];
  const last = parts.length - 1;
  if (parts[last]?.type !== 'text') return null;
  return [
    append([...notesAt(path.at(-1)!), 'currentText'], delta),
    append([...place, 'rounds', rounds.length - 1, 'parts', last, 'text'], delta),
  ];
}

/** Returns the changes of a leaf of an open child turn, but for its first and its last leaf. */
function openChanges(
  handlers: AllHandlers,
  state: FoldState,
  { turnId, inner, at, sequence }: Leaf,
  notes: ChildNotes,
): readonly Change[] {
  const { place } = notes;
  const id = notes.path.at(-1)!;
  const record = recordOf(state, notes);
  if (inner.type === 'committed')
    return [
      set([...place, 'effects'], inner.effects),
      ...(inner.unknown.length === 0 ? [] : [set([...place, 'unknown'], inner.unknown)]),
      set([...notesAt(id), 'turn', 'committed'], true),
    ];
  if (inner.type === 'rolledBack') {
    return [...takenBack(state, turnId, inner), set([...notesAt(id), 'turn', 'report'], inner.report)];
  }
  const view = childState(state, id);
  // The values of an effect are kept if the user reviews the turn.
  const seen =
    inner.type === 'effectRecorded'
      ? { ...view, liveTurn: defined({ ...record, options: state.liveTurn?.options }) }
      : view;
  // An answer restarts the deadlines of the questions of all agents.
  const all =
    inner.type === 'confirmationResolved'
      ? { ...state, pendingConfirmations: withDeadlines(state.pendingConfirmations, inner.deadlines) }
      : state;
  return placed(all, notes, reduce(handlers, seen, { ...inner, turnId, at, sequence } as Operation));
}

/** Returns the changes after a child turn, which may have ended, took its effects back. */
function takenBack(
  state: FoldState,
  turnId: string,
  { report: { done }, moved = {} }: Extract<ChildFact, { readonly type: 'rolledBack' }>,
): readonly Change[] {
  return [
    ...(state.liveTurn === null ? [] : [set(['liveTurn'], withReverted(state.liveTurn, done, true))]),
    ...noteCalls(state, turnId, (calls) => withCalls(calls, done, 'reverted')),
    ...noteRevisions(state, (revisions) => afterReject(revisions, moved)),
  ];
}

/** Returns the changes of a child turn's view as changes of the state. A change that a child turn does not make is left out. */
export function placed(state: FoldState, notes: ChildNotes, changes: readonly Change[]): readonly Change[] {
  return changes.flatMap((change) => placedOne(state, notes, change));
}

/** Returns the place of the notes of a child turn. */
function notesAt(id: string): readonly [string, ...string[]] {
  return ['fold', 'turn', 'children', id];
}

function placedOne(state: FoldState, notes: ChildNotes, change: Change): readonly Change[] {
  const { place } = notes;
  const [field, ...rest] = change.path;
  const [note, part] = rest;
  const id = notes.path.at(-1)!;
  const moved = (...path: readonly [string, ...(string | number)[]]) => [{ ...change, path }];
  if (field === 'liveTurn') return moved(...place, ...rest);
  if (field === 'phase' || field === 'budget') return moved(...place, field);
  if (field === 'lastUsageReport') return moved(...place, 'usage');
  const isShared = field === 'grants' || field === 'queue' || field === 'queuePaused' || note === 'begun';
  if (isShared || (note === 'turn' && part === 'undo')) return [change];
  if (field === 'pendingConfirmations') return questions(state, id, change);
  if (note === 'turn' && part === 'revisions') return revisions(state, id, change.value as Revisions);
  const own = field === 'fold' ? rest : change.path;
  return Object.hasOwn(notes, own[0]!) ? moved(...notesAt(id), ...own) : [];
}

type Revisions = NonNullable<NonNullable<FoldState['fold']['turn']>['revisions']>;

/** What the model has read is noted for its agent, and what the turn has changed for all its agents. */
function revisions(state: FoldState, id: string, { readByModel, ...shared }: Revisions): readonly Change[] {
  return [
    ...noteRevisions(state, (notes) => ({ ...shared, readByModel: notes.readByModel })),
    set([...notesAt(id), 'readByModel'], readByModel),
  ];
}

/** Returns the changes of the questions of all agents after a change of the questions of one child turn. */
function questions(state: FoldState, id: string, { kind, path, value }: Change): readonly Change[] {
  const all = state.pendingConfirmations;
  const isOwn = ({ agent }: (typeof all)[number]) => agent?.child === id;
  const own = all.filter(isOwn);
  const now =
    path.length > 1
      ? own.with(path[1] as number, value as (typeof all)[number])
      : kind === 'append'
        ? [...own, value as (typeof all)[number]]
        : (value as typeof all);
  const next = [
    ...all.flatMap((one) => (isOwn(one) ? now.filter(({ id: same }) => same === one.id) : [one])),
    ...now.filter((one) => !own.some(({ id: same }) => same === one.id)),
  ];
  return [set(['pendingConfirmations'], next), ...phaseAbove(state, next.length > 0)];
}

/** While a question of any agent is open, the phase is `confirming`. */
function phaseAbove({ phase }: FoldState, asks: boolean): readonly Change[] {
  if (asks && phase === 'executing') return [set(['phase'], 'confirming')];
  return !asks && phase === 'confirming' ? [set(['phase'], 'executing')] : [];
}

/** Returns the changes at the start of a child turn: its record joins its call. */
function started(state: FoldState, { path }: Leaf, inner: ChildStarted): readonly Change[] {
  const id = path.at(-1)!;
  const above = path.at(-2);
  const view = above === undefined ? state : childState(state, above);
  const found = callAt(view, inner.callId);
  if (found === undefined || view.liveTurn === null) return [];
  const base = above === undefined ? (['liveTurn'] as const) : state.fold.turn!.children![above]!.place;
  const round = view.liveTurn.rounds.length - 1;
  const { children } = found.call;
  const list: Path = [...base, 'rounds', round, 'parts', found.position, 'children'];
  const { agent, title, key, given, thread, reads, input, limits, budget, options, structured } = inner;
  const record: ChildTurn = defined({
    id,
    parentId: null,
    input,
    rounds: [],
    status: 'running',
    outcome: null,
    options,
    structured,
    messageIds: [],
    effects: [],
    agent,
    title,
    key,
    given,
    thread,
    phase: 'preparing',
    usage: null,
    budget,
  });
  const { conversation, compactions } = reads ? view : threadOf(state, inner);
  const notes: ChildNotes = {
    place: [...list, children?.length ?? 0],
    path,
    callId: inner.callId,
    conversation,
    currentText: '',
    currentThinking: '',
    partialOutput: null,
    contextPressure: null,
    lastSchemaWarnings: [],
    lastContextDiagnostics: [],
    compactions,
    turn: { ...newTurnNotes, limits },
    readByModel: {},
    parsers: [],
    innerCall: false,
    context: { window: null, tokens: 0, after: null },
  };
  return [
    children === undefined ? set(list, [record]) : append(list, record),
    state.fold.turn?.children === undefined
      ? set(['fold', 'turn', 'children'], { [id]: notes })
      : set(notesAt(id), notes),
    ...(openBelow(state, above).length > 0 ? [] : [set(noteOf(above, 'besides'), view.lastUsageReport)]),
  ];
}

/** Returns the messages and the compactions of the earlier child turns of a thread on the path to the head; none without a thread. */
function threadOf(
  { turns, liveTurn }: FoldState,
  { agent, thread }: ChildStarted,
): Pick<ChildNotes, 'conversation' | 'compactions'> {
  if (thread === undefined) return { conversation: { messages: [] }, compactions: [] };
  const earlier: readonly TurnRecord[] = [...turns, liveTurn!];
  // Only child turns with a thread have messages.
  const same = earlier
    .flatMap(childrenOf)
    .filter((child) => child.messages && child.agent === agent && child.thread === thread);
  return {
    conversation: { messages: same.flatMap(({ messages }) => messages!) },
    compactions: same.flatMap(({ compactions }) => compactions ?? []),
  };
}

/** Returns the changes at the end of a child turn. Its notes go, and its record stays. */
function ended(state: FoldState, inner: Terminal, notes: ChildNotes): readonly Change[] {
  const { place, path, conversation } = notes;
  const id = path.at(-1)!;
  const above = path.at(-2);
  const before = turnAbove(state, above);
  const { type: status, usage, rounds, budget } = inner;
  const record = recordOf(state, notes);
  const outcome: TurnOutcome = {
    status,
    usage,
    rounds,
    ...(inner.type === 'stopped' ? { stop: inner.stop } : {}),
    ...('report' in inner && inner.report !== null ? { report: inner.report } : {}),
    ...(inner.type === 'failed' ? { error: inner.error } : {}),
  };
  const appended = new Set(record.messageIds);
  const messages = record.thread && conversation.messages.filter((message) => appended.has(message.id));
  const { [id]: _ended, ...children } = state.fold.turn!.children!;
  const open = state.pendingConfirmations.filter(({ agent }) => agent?.child !== id);
  return [
    set(place, defined({ ...record, status, outcome, phase: 'idle', messages, budget, usage })),
    ...(open.length === state.pendingConfirmations.length
      ? []
      : [set(['pendingConfirmations'], open), ...phaseAbove(state, open.length > 0)]),
    set(['fold', 'turn', 'children'], children),
    set(noteOf(above, 'besides'), addUsage(before?.besides ?? null, usage)),
    set(noteOf(above, 'finishedUsage'), addUsage(before?.finishedUsage ?? null, usage)),
  ];
}

/** Returns the place of a note of a child turn, or of the root turn. */
function noteOf(id: string | undefined, note: 'besides' | 'finishedUsage'): Path {
  return id === undefined ? ['fold', 'turn', note] : [...notesAt(id), 'turn', note];
}

/** Returns the notes of a child turn, or of the root turn. */
function turnAbove({ fold }: FoldState, id: string | undefined) {
  return id === undefined ? fold.turn : fold.turn?.children?.[id]?.turn;
}

/**
 * Returns the changes of what the turns above a child turn have spent: the calls and the usage of a turn include its child turns.
 *
 * @param path the path of the child turn
 * @param calls the number of executors that the child turn has started with this leaf
 * @param usage the usage of the child turn until now
 */
function spentAbove(
  state: FoldState,
  path: readonly string[],
  calls: number,
  usage: UsageReport | null,
): readonly Change[] {
  const [above, id] = [path.at(-2), path.at(-1)];
  if (id === undefined) return [];
  const notes = above === undefined ? null : state.fold.turn!.children![above]!;
  const before: Budget = notes === null ? state.budget : recordOf(state, notes).budget;
  const sum = openBelow(state, above).reduce<UsageReport | null>(
    (all, child) => addUsage(all, child.path.at(-1) === id ? usage : recordOf(state, child).usage),
    turnAbove(state, above)?.besides ?? null,
  );
  const budget: Budget = {
    ...before,
    toolCalls: moreOf(before.toolCalls, before.toolCalls.spent + calls),
    tokens: moreOf(before.tokens, totalTokensOf(sum) ?? 0),
    cost: moreOf(before.cost, sum?.cost?.amount ?? 0),
  };
  return notes === null
    ? [
        set(['budget'], budget),
        set(['lastUsageReport'], sum),
        set(['totals'], totalsOf(addUsage(state.fold.spent, sum))),
      ]
    : [
        set([...notes.place, 'budget'], budget),
        set([...notes.place, 'usage'], sum),
        ...spentAbove(state, path.slice(0, -1), calls, sum),
      ];
}

/** Returns the line of a budget with another amount spent. */
function moreOf({ spent, left }: BudgetLine, now: number): BudgetLine {
  return budgetLine(now, left === null ? undefined : spent + left);
}
