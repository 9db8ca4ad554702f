import {
  isAgentSessionError,
  type AgentSession,
  type AgentSessionError,
  type ChildTurn,
  type TurnRecord,
  type UndoTurn,
} from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { Cues } from './cues.js';
import { laneFocus } from './lanes.js';

export type Direction = 'undo' | 'redo';

/** A question about an undo or a redo that did not begin. */
export interface UndoQuestion {
  readonly text: string;
  /** The label of the button that continues. */
  readonly action: string;
}

/** Undo and redo of whole turns, and the question if something is in the way. */
export interface TurnUndo {
  /** While an undo or a redo runs, both keep their values, because a disabled button loses the focus. */
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Null again when another turn starts. */
  readonly question: ReadonlySignal<UndoQuestion | null>;
  /**
   * @param turnId a turn to undo alone. Default: undo takes the newest turn, and redo takes the turn that was
   * undone last
   * @param child the child turn of an agent in this turn, to undo its changes alone
   */
  run(direction: Direction, turnId?: string, child?: string): Promise<void>;
  /** Does what the question is about. The user's own edits stay. */
  goOn(): Promise<void>;
  /** Closes the question and changes nothing. */
  dismiss(): void;
}

interface Met extends UndoQuestion {
  readonly next: Attempt;
  /** The turns when the problem was found. */
  readonly turns: readonly TurnRecord[];
}

/** A turn, or an agent's part of it. If the turn is undefined, the session chooses it. */
interface Target {
  readonly turnId: string | undefined;
  readonly child?: string | undefined;
}

/** An undo or a redo of turns and of parts of turns, one after another. */
interface Attempt {
  readonly direction: Direction;
  readonly targets: readonly Target[];
  /** Whether it continues in spite of the user's edits. */
  readonly force: boolean;
}

export function createTurnUndo(session: ReadonlySignal<AgentSession>, cues: Pick<Cues, 'focus'>): TurnUndo {
  const met = signal<Met | null>(null);
  const isIdle = computed(() => session.value.phase.value === 'idle');

  const possible = computed(() => ({
    undo: isIdle.value && session.value.canUndo.value,
    redo: isIdle.value && session.value.canRedo.value,
  }));
  const before = signal<Readonly<Record<Direction, boolean>> | null>(null);

  /** Runs one attempt at a time. A second attempt before its end is ignored. */
  const attempt = async ({ direction, targets, force }: Attempt): Promise<void> => {
    if (before.peek()) return;
    met.value = null;
    before.value = possible.peek();
    const of = session.peek();
    const left = [...targets];
    try {
      for (; left.length > 0; left.shift()) await of[direction]({ ...left[0], force });
      // The button of a turn is removed after its undo.
      const [first] = targets;
      if (first?.child !== undefined) cues.focus(laneFocus({ id: first.child }));
      else if (first?.turnId !== undefined) cues.focus('message');
    } catch (error) {
      if (isAgentSessionError(error) && error.code === 'conflict')
        met.value = {
          ...questionAbout(error, of, { direction, targets: left, force }),
          turns: of.turns.peek(),
        };
    } finally {
      before.value = null;
    }
  };

  return {
    canUndo: computed(() => (before.value ?? possible.value).undo),
    canRedo: computed(() => (before.value ?? possible.value).redo),
    question: computed(() =>
      isIdle.value && met.value?.turns === session.value.turns.value ? met.value : null,
    ),

    run: (direction, turnId, child) => attempt({ direction, targets: [{ turnId, child }], force: false }),

    async goOn() {
      const question = met.peek();
      if (question !== null) await attempt(question.next);
    },

    dismiss() {
      met.value = null;
    },
  };
}

/** Returns the question about an attempt that found later turns on the same cards, or edits of the user. */
function questionAbout(
  { details }: AgentSessionError,
  { undoEntries }: AgentSession,
  left: Attempt,
): Omit<Met, 'turns'> {
  const { direction, targets } = left;
  const inTheWay = Array.isArray(details['inTheWay']) ? details['inTheWay'].map(String) : [];
  if (targets[0]?.turnId === undefined || inTheWay.length === 0) {
    const rest = direction === 'undo' ? 'Undo leaves your edits alone' : 'Redo leaves your edits alone';
    return {
      text: `You changed the board since. ${rest}, and may not reach everything.`,
      action: direction === 'undo' ? 'Undo anyway' : 'Redo anyway',
      next: { ...left, force: true },
    };
  }
  const found = inTheWay.map((id) => partOf(undoEntries.peek(), id));
  const all = [...found.map(({ target }) => target), ...targets];
  const are = inTheWay.length === 1 ? 'is' : 'are';
  return {
    text: `${found.map(({ label }) => `“${label}”`).join(', ')} came later and ${are} in the way`,
    action: all.length === 2 ? 'Undo both' : `Undo all ${all.length}`,
    next: { ...left, targets: all },
  };
}

/** Returns the turn, or the agent's part of a turn, that an undo found in its way, and its label. */
function partOf(
  entries: readonly UndoTurn[],
  id: string,
): { readonly target: Target; readonly label: string } {
  for (const { turnId, groups = [] } of entries) {
    const group = groups.find(({ child }) => child === id);
    if (group) return { target: { turnId, child: id }, label: group.label };
  }
  return { target: { turnId: id }, label: entries.find(({ turnId }) => turnId === id)?.label ?? '' };
}

/** Returns what the user can do with the changes of one agent of an ended turn; null for nothing. */
export function laneUndo(
  { undoEntries, isRunning }: Pick<AgentSession, 'undoEntries' | 'isRunning'>,
  turnId: string,
  { id }: Pick<ChildTurn, 'id'>,
): Direction | null {
  const group = undoEntries.value
    .find((entry) => entry.turnId === turnId)
    ?.groups?.find(({ child }) => child === id);
  if (group === undefined || isRunning.value) return null;
  if (group.state === 'undone') return 'redo';
  return group.undoable ? 'undo' : null;
}

/** The turns that can be undone, cached by list, because each turn of a long conversation asks. */
const known = new WeakMap<readonly UndoTurn[], ReadonlySet<string>>();

/** Returns whether the user can undo a turn, alone or together with the turns in its way. */
export function canUndoTurn({ undoEntries }: Pick<AgentSession, 'undoEntries'>, turnId: string): boolean {
  const entries = undoEntries.value;
  const ids =
    known.get(entries) ??
    new Set(entries.flatMap((one) => (one.undoable && one.state !== 'undone' ? [one.turnId] : [])));
  known.set(entries, ids);
  return ids.has(turnId);
}
