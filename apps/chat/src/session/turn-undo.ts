import {
  isAgentSessionError,
  type AgentSession,
  type AgentSessionError,
  type TurnRecord,
  type UndoTurn,
} from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { Cues } from './cues.js';

export type Direction = 'undo' | 'redo';

/** A question about an undo or a redo that did not begin. */
export interface UndoQuestion {
  readonly text: string;
  /** The words on the button that goes on. */
  readonly action: string;
}

/** Undo and redo of whole turns, and the question that comes up where something is in the way. */
export interface TurnUndo {
  /** While something is undone or done again, both are what they were before: a button that goes off loses the focus. */
  readonly canUndo: ReadonlySignal<boolean>;
  readonly canRedo: ReadonlySignal<boolean>;
  /** Null again once another turn starts. */
  readonly question: ReadonlySignal<UndoQuestion | null>;
  /** @param turnId a turn to undo alone; by default the newest is undone, and the one that was undone last is done again */
  run(direction: Direction, turnId?: string): Promise<void>;
  /** Does what the question is about. The user's own edits are left alone. */
  goOn(): Promise<void>;
  /** Leaves everything as it is. */
  dismiss(): void;
}

interface Met extends UndoQuestion {
  readonly next: Attempt;
  /** Of the moment when it was met. */
  readonly turns: readonly TurnRecord[];
}

/** An undo or a redo of turns, one after the other; of an undefined one, the session chooses the turn. */
interface Attempt {
  readonly direction: Direction;
  readonly turnIds: readonly (string | undefined)[];
  /** Whether it goes on in spite of the user's edits. */
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

  /** Carries one attempt out at a time. A second one until its end is none. */
  const attempt = async ({ direction, turnIds, force }: Attempt): Promise<void> => {
    if (before.peek()) return;
    met.value = null;
    before.value = possible.peek();
    const of = session.peek();
    const left = [...turnIds];
    try {
      for (; left.length > 0; left.shift()) await of[direction]({ turnId: left[0], force });
      // The button of a turn went away with its undo.
      if (turnIds[0] !== undefined) cues.focus('message');
    } catch (error) {
      if (isAgentSessionError(error) && error.code === 'conflict')
        met.value = {
          ...questionAbout(error, of, { direction, turnIds: left, force }),
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

    run: (direction, turnId) => attempt({ direction, turnIds: [turnId], force: false }),

    async goOn() {
      const question = met.peek();
      if (question !== null) await attempt(question.next);
    },

    dismiss() {
      met.value = null;
    },
  };
}

/** The question about an attempt that met later turns on the same cards, or edits of the user. */
function questionAbout(
  { details }: AgentSessionError,
  { undoEntries }: AgentSession,
  left: Attempt,
): Omit<Met, 'turns'> {
  const { direction, turnIds } = left;
  const inTheWay = Array.isArray(details['inTheWay']) ? details['inTheWay'].map(String) : [];
  if (turnIds[0] === undefined || inTheWay.length === 0) {
    const rest = direction === 'undo' ? 'Undo leaves your edits alone' : 'Redo leaves your edits alone';
    return {
      text: `You changed the board since. ${rest}, and may not reach everything.`,
      action: direction === 'undo' ? 'Undo anyway' : 'Redo anyway',
      next: { ...left, force: true },
    };
  }
  const labelOf = (id: string) => undoEntries.peek().find(({ turnId }) => turnId === id)?.label ?? '';
  const all = [...inTheWay, ...turnIds];
  const are = inTheWay.length === 1 ? 'is' : 'are';
  return {
    text: `${inTheWay.map((id) => `“${labelOf(id)}”`).join(', ')} came later and ${are} in the way`,
    action: all.length === 2 ? 'Undo both' : `Undo all ${all.length}`,
    next: { ...left, turnIds: all },
  };
}

/** The turns that can be undone, by the list that has them: each turn of a long conversation asks for itself. */
const known = new WeakMap<readonly UndoTurn[], ReadonlySet<string>>();

/** Whether the user can take a turn back, alone or with those in its way. */
export function canUndoTurn({ undoEntries }: Pick<AgentSession, 'undoEntries'>, turnId: string): boolean {
  const entries = undoEntries.value;
  const ids =
    known.get(entries) ??
    new Set(entries.flatMap((one) => (one.undoable && one.state !== 'undone' ? [one.turnId] : [])));
  known.set(entries, ids);
  return ids.has(turnId);
}
