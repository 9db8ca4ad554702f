import {
  allCallsOf,
  effect,
  type AgentSession,
  type ErrorData,
  type Operation,
  type ToolCallView,
  type TurnRecord,
} from '@banister/session';
import { computed, signal, untracked, type ReadonlySignal } from '@banister/session/signals';
import type { HistoryGroup } from '../board/board-history.js';
import type { IconName } from '../view/icons.js';
import type { BranchNotice } from './branch-notice.js';
import type { Branching } from './branching.js';
import type { DescribeCall } from '../board/describe-call.js';
import { counted } from './counted.js';
import type { EffectGroup } from './effect-group.js';
import { finalWords } from './final-effects.js';
import type { Interruption } from './interruption.js';
import { limitWords } from './limit-words.js';
import type { PastChanges } from './past-changes.js';
import type { Questions } from './questions.js';
import type { Review } from './review.js';
import { errorToShow, isTakenBack } from './taken-back.js';
import { verbOfTool } from './tool-verbs.js';
import type { TurnUndo } from './turn-undo.js';
import { isAsked, workCount, workWords } from './work-words.js';

/** The row above the message field: it says in one line what is going on, and offers the action that fits. */
export interface GripView {
  readonly kind:
    | 'working'
    | 'stopping'
    | 'waiting'
    | 'review'
    | 'limit'
    | 'interrupted'
    | 'in-the-way'
    | `branch-${BranchNotice['kind']}`
    | 'undone'
    | 'failed'
    | 'stopped'
    | 'unanswered'
    | 'held'
    | 'nothing';
  /** The colour, which says who acts next: the agent, the user, or neither. */
  readonly tone: 'live' | 'ask' | 'bad' | 'held' | 'quiet';
  readonly icon: IconName;
  readonly title: string;
  /** Shown after the title, less prominent; empty if there is nothing to add. */
  readonly detail: string;
  readonly actions: readonly GripAction[];
  /** Shown below the title; absent if the title is enough. */
  readonly more?: GripMore;
}

/** The changes that a line of the grip is about. */
export interface GripMore {
  readonly groups: readonly EffectGroup[];
  /** What distinguishes the actions; empty if there is nothing to explain. */
  readonly hint: string;
  /** Whether the groups are folded at first. */
  readonly isFolded: boolean;
}

export interface GripAction {
  readonly label: string;
  /** `strong` for Stop, `ask` for the expected answer. */
  readonly look: 'strong' | 'ask' | 'plain';
  readonly icon?: IconName;
  /** The keys for the same action, in the format of `aria-keyshortcuts`. */
  readonly keys?: string;
  /** Another way to do it, in a menu beside the button. */
  readonly other?: Pick<GripAction, 'label' | 'run'>;
  run(): void;
}

export interface Grip {
  readonly shown: ReadonlySignal<GripView>;
  /**
   * The commands of keys. Each returns false if there is nothing to do. Stop undoes an interrupted turn whose
   * questions are open.
   */
  stop(): boolean;
  undo(): boolean;
  redo(): boolean;
}

interface GripOptions {
  readonly session: ReadonlySignal<AgentSession>;
  readonly questions: Pick<Questions, 'current' | 'approve'>;
  readonly turnUndo: TurnUndo;
  readonly review: Review;
  readonly interruption: Interruption;
  readonly pastChanges: PastChanges;
  readonly branching: Pick<Branching, 'notice'>;
  /** The edits of the user, and the turns of the agent, oldest first. */
  readonly history: ReadonlySignal<readonly HistoryGroup[]>;
  readonly describe: DescribeCall;
  /** The user's own edits of the board. */
  readonly edits: { undo(): unknown; redo(): unknown };
}

const isMac = globalThis.navigator?.platform.startsWith('Mac') ?? false;
const undoKeys = isMac ? 'Meta+Z' : 'Control+Z';
const redoKeys = isMac ? 'Meta+Shift+Z' : 'Control+Shift+Z';

export function createGrip(options: GripOptions): Grip {
  const { session, questions, turnUndo, review, interruption, pastChanges } = options;
  const { branching, history, edits, describe } = options;
  // A separate signal, so that the grip is computed anew only when its words change, not with each piece of
  // text.
  const words = computed(() => workWords(session.value));
  const count = computed(() => workCount(session.value));

  const stop = (): void => {
    const of = session.peek();
    // The outcome is in the records of the turn.
    void of.cancel({ immediate: of.phase.peek() === 'cancelling' });
  };

  const stopAndKeep = (): void => void session.peek().cancel({ sideEffects: 'keep' });

  /** What Undo will undo: the newest change in effect, by the agent or by the user. */
  const target = computed(() => undoTarget(session.value, turnUndo.canUndo.value, history.value));
  /** The turn that was undone last, as far as this page has seen. */
  const undoneLast = signal<string | null>(null);
  effect(() => {
    const subscription = session.value.operations$.subscribe((operation: Operation) => {
      if (operation.type === 'undone') undoneLast.value = operation.target;
    });
    return () => subscription.unsubscribe();
  });
  const redoTarget = computed(() =>
    redoOf(session.value, turnUndo.canRedo.value, history.value, undoneLast.value),
  );
  const undo = (): void => void (target.peek()?.by === 'user' ? edits.undo() : turnUndo.run('undo'));
  const redo = (): void => void (redoTarget.peek()?.by === 'user' ? edits.redo() : turnUndo.run('redo'));

  /** The approval of the plan that the user is asked about; empty for every other question. */
  const approval = computed((): readonly GripAction[] => {
    const open = questions.current.value;
    if (open === null || open.plan === null) return [];
    const label = verbOfTool(open.confirmation.call.tool);
    return [{ label, look: 'ask', run: () => void questions.approve(open) }];
  });

  const busy = computed((): GripView | null => {
    const { phase, isRunning } = session.value;
    if (interruption.notice.value !== null || !isRunning.value) return null;
    if (phase.value === 'cancelling') {
      const now: GripAction = { label: 'Stop now', look: 'strong', icon: 'stop', keys: 'Escape', run: stop };
      return view('stopping', 'live', 'running', 'Stopping…', 'one step still runs', now);
    }
    const keep = { label: 'Stop and keep what is done', run: stopAndKeep };
    const action: GripAction = {
      label: 'Stop',
      look: 'strong',
      icon: 'stop',
      keys: 'Escape',
      other: keep,
      run: stop,
    };
    if (phase.value === 'confirming' || (phase.value === 'executing' && isAsked(session.value)))
      return view('waiting', 'ask', 'waiting', words.value, '', ...approval.value, action);
    const canStop = phase.value !== 'committing' && phase.value !== 'rolling-back';
    return view('working', 'live', 'running', words.value, count.value, ...(canStop ? [action] : []));
  });

  /**
   * Returns whether questions of an interrupted turn are open. Their head shows Take back instead of Stop.
   */
  const isAskedAgain = (): boolean =>
    interruption.notice.value?.canTakeBack === true && session.value.pendingConfirmations.value.length > 0;

  const asked = computed((): GripView | null => {
    const open = review.open.value;
    if (open !== null && session.value.pendingReview.value !== null) {
      const [backLabel, keepLabel] =
        open.length === 1 ? ['Take back', 'Keep'] : ['Take all back', 'Keep all'];
      const back: GripAction = { label: backLabel, look: 'plain', run: () => void review.takeBack() };
      const keep: GripAction = { label: keepLabel, look: 'ask', run: () => void review.keep() };
      const canTakeBack = open.some((change) => change.canTakeBack);
      return view(
        'review',
        'ask',
        'staged',
        `${open.length} to review`,
        '',
        ...(canTakeBack ? [back] : []),
        keep,
      );
    }
    const notice = interruption.notice.value;
    if (notice !== null) {
      const back: GripAction = {
        label: 'Take back',
        look: 'plain',
        ...(isAskedAgain() ? { keys: 'Escape' } : {}),
        run: interruption.takeBack,
      };
      const actions: readonly GripAction[] = [
        ...(notice.canTakeBack ? [back] : []),
        ...(notice.goOn === null
          ? []
          : [{ label: notice.goOn, look: 'ask', run: interruption.goOn } as const]),
      ];
      return view('interrupted', 'ask', 'interrupted', notice.text, notice.detail, ...actions);
    }
    const limit = session.value.pendingExtension.value;
    if (limit !== null) {
      const { title, more } = limitWords(limit);
      const end: GripAction = { label: 'End', look: 'plain', run: () => void limit.end() };
      const goOn: GripAction = { label: more, look: 'ask', run: () => void limit.extend() };
      return view('limit', 'ask', 'waiting', title, '', end, goOn);
    }
    const question = turnUndo.question.value;
    if (question === null) return branching.notice.value === null ? null : branchView(branching.notice.value);
    return view(
      'in-the-way',
      'ask',
      'waiting',
      question.text,
      '',
      { label: 'Leave it', look: 'plain', run: turnUndo.dismiss },
      { label: question.action, look: 'ask', run: () => void turnUndo.goOn() },
    );
  });

  const rest = computed((): GripView => {
    const last = session.value.turns.value.at(-1);
    const back = redoTarget.value;
    if (back !== null) {
      const action: GripAction = { label: 'Redo', look: 'plain', icon: 'redo', keys: redoKeys, run: redo };
      return view('undone', 'quiet', 'undo', 'Taken back', back.label, action);
    }
    const held = target.value;
    const action: GripAction = { label: 'Undo', look: 'plain', icon: 'undo', keys: undoKeys, run: undo };
    const broken = last === undefined ? null : brokenWords(last);
    if (broken !== null && last?.undo === undefined) {
      const again: GripAction = {
        label: 'Try again',
        look: 'plain',
        icon: 'again',
        run: () => void session.peek().retry(),
      };
      const actions = broken.canRetry ? [again] : held === null ? [] : [action];
      return view(
        broken.kind,
        broken.kind === 'failed' ? 'bad' : 'quiet',
        broken.icon,
        broken.text,
        '',
        ...actions,
      );
    }
    const missed = (last === undefined ? [] : unansweredCalls(last)).map(describe);
    if (missed.length > 0) {
      const again: GripAction = {
        label: 'Ask again',
        look: 'ask',
        run: () => void session.peek().send(`Ask me again: ${missed.join('; ')}`),
      };
      const title =
        missed.length === 1 ? 'No answer in time' : `${missed.length} questions had no answer in time`;
      return view(
        'unanswered',
        'quiet',
        'waiting',
        title,
        missed.join(' · '),
        ...(held === null ? [] : [action]),
        again,
      );
    }
    if (held !== null) return view('held', 'held', 'done', held.title, held.label, action);
    const notice = pastChanges.notice.value;
    if (notice === null) {
      const final = finalWords(session.value.turns.value);
      return final === null
        ? view('nothing', 'quiet', 'undo', 'Nothing to undo yet', '')
        : view('nothing', 'quiet', 'final', final, '');
    }
    const fresh: GripAction = { label: 'Fresh board', look: 'plain', run: pastChanges.startFresh };
    return view('nothing', 'quiet', 'undo', notice, '', fresh);
  });

  const isIdle = (): boolean => session.peek().phase.peek() === 'idle';
  return {
    shown: computed(() => asked.value ?? busy.value ?? rest.value),

    stop() {
      const { isRunning, pendingReview } = session.peek();
      if (untracked(isAskedAgain)) {
        interruption.takeBack();
        return true;
      }
      if (!isRunning.peek() || pendingReview.peek() !== null) return false;
      stop();
      return true;
    },
    undo() {
      if (!isIdle() || target.peek() === null) return false;
      undo();
      return true;
    },
    redo() {
      if (!isIdle() || redoTarget.peek() === null) return false;
      redo();
      return true;
    },
  };
}

function view(
  kind: GripView['kind'],
  tone: GripView['tone'],
  icon: IconName,
  title: string,
  detail: string,
  ...actions: readonly GripAction[]
): GripView {
  return { kind, tone, icon, title, detail, actions };
}

/** Returns a question, a problem or a remark about the versions of the conversation. */
function branchView({ kind, title, groups, hint = '', actions, leave }: BranchNotice): GripView {
  const tone = kind === 'problem' ? 'bad' : 'ask';
  const choices = actions.map(({ label, isPrimary, run }): GripAction => ({
    label,
    look: isPrimary ? 'ask' : 'plain',
    run,
  }));
  return {
    ...view(
      `branch-${kind}`,
      tone,
      kind === 'problem' ? 'failed' : 'waiting',
      title,
      '',
      { label: 'Leave it', look: 'plain', run: leave },
      ...choices,
    ),
    more: { groups, hint, isFolded: kind === 'staying' },
  };
}

interface UndoTarget {
  readonly by: HistoryGroup['by'];
  readonly title: string;
  readonly label: string;
}

function undoTarget(
  { undoEntries }: AgentSession,
  canUndo: boolean,
  groups: readonly HistoryGroup[],
): UndoTarget | null {
  const newest = groups.findLast(({ state }) => state === 'done');
  const edit = newest?.by === 'user' || !canUndo ? groups.findLast(isDoneEdit) : undefined;
  if (edit) return { by: 'user', title: 'Your change', label: edit.label };
  const entry = undoEntries.value.findLast(({ undoable, state }) => undoable && state !== 'undone');
  if (!canUndo || entry === undefined) return null;
  const changes = entry.effects.filter(({ irreversible, lost }) => !irreversible && !lost).length;
  return { by: 'agent', title: counted(changes, 'change'), label: entry.label };
}

function isDoneEdit({ by, state }: HistoryGroup): boolean {
  return by === 'user' && state === 'done';
}

function redoOf(
  { undoEntries }: AgentSession,
  canRedo: boolean,
  groups: readonly HistoryGroup[],
  undoneLast: string | null,
): UndoTarget | null {
  if (canRedo) {
    const undone = undoEntries.value.filter(({ redoable, state }) => redoable && state !== 'done');
    // The newest turns are undone first, so of the turns of an earlier page, the oldest was undone last.
    const entry = undone.find(({ turnId }) => turnId === undoneLast) ?? undone[0];
    return { by: 'agent', title: 'Taken back', label: entry?.label ?? '' };
  }
  // An edit that was undone before a newer change is no longer mentioned.
  const newest = groups.findLastIndex(({ state }) => state === 'done');
  const edit = groups.slice(newest + 1).find(({ by, state }) => by === 'user' && state === 'undone');
  return edit ? { by: 'user', title: 'Taken back', label: edit.label } : null;
}

/** Returns the calls that were declined because their questions timed out. */
function unansweredCalls(turn: TurnRecord): readonly ToolCallView[] {
  return allCallsOf(turn).filter(({ rejection }) => rejection === 'confirmation-timeout');
}

interface BrokenWords {
  readonly kind: 'failed' | 'stopped';
  readonly icon: IconName;
  readonly text: string;
  readonly canRetry: boolean;
}

/** Describes the last turn, if it did not run to its end. */
function brokenWords(record: TurnRecord): BrokenWords | null {
  const { outcome } = record;
  if (outcome?.status !== 'failed' && outcome?.status !== 'cancelled') return null;
  // If a stopped turn keeps its changes, they can be undone as after any other turn.
  if (outcome.status === 'cancelled' && !outcome.report && record.effects.length > 0) return null;
  const error = errorToShow(record);
  const canRetry = mayRetrySoon(error?.retry);
  if (outcome.status === 'failed' && error)
    return { kind: 'failed', icon: 'failed', text: shortError(error), canRetry };
  const back = outcome.report?.done.length ?? 0;
  const title = isTakenBack(record) ? 'Taken back' : 'Stopped';
  const all = back + stillThere(record);
  const text = all === 0 ? title : `${title}: ${back} of ${counted(all, 'change')} taken back`;
  return { kind: 'stopped', icon: 'undo', text, canRetry };
}

/**
 * A new attempt is offered if the server asks for at most this wait, in milliseconds. With a daily quota, a
 * new attempt would only fail again.
 */
const SOON = 60_000;

function mayRetrySoon(retry: ErrorData['retry'] | undefined): boolean {
  return typeof retry === 'object' ? retry.afterMs <= SOON : retry !== 'never';
}

/** The bar and the turn say why nothing can be saved. */
function shortError({ code, message }: ErrorData): string {
  return code === 'storage' ? 'This turn was not saved' : message;
}

function stillThere(turn: TurnRecord): number {
  const { report } = turn.outcome ?? {};
  if (!report) return turn.effects.length;
  const ids = new Set(allCallsOf(turn).map(({ id }) => id));
  return [...report.failed, ...report.irreversible, ...report.lost].filter(({ toolCallId }) =>
    ids.has(toolCallId),
  ).length;
}
