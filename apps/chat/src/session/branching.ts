import { effect, isAgentSessionError, textOf, type AgentSession, type TurnRecord } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import type { BranchNotice } from './branch-notice.js';
import { problemWords, questionWords, stayingWords, type BranchCommand } from './branch-words.js';
import { counted } from './counted.js';
import type { Cues } from './cues.js';
import { changesFrom, stayingIn } from './staying.js';
import { attachedIn, withFiles } from './shown-files.js';
import { canRepeat } from './can-repeat.js';
import { createTextEdit, type EditedText } from './text-edit.js';

/** The versions of a conversation: other attempts at a turn, and turns with an edited message. */
export interface Branching {
  /**
   * The message that the user is editing; null if there is none, and when its turn is no longer in the
   * conversation.
   */
  readonly edited: ReadonlySignal<EditedText | null>;
  /** The turn of the edited message. The signal does not change while the user writes. */
  readonly editedTurn: ReadonlySignal<string | null>;
  /** Which changes saving undoes, in words. */
  readonly editHint: ReadonlySignal<string>;
  /** False while the agent works; the hint says why. */
  readonly canSaveEdit: ReadonlySignal<boolean>;
  beginEdit(turn: TurnRecord): void;
  /** Edits the last message, from the composer. Returns false if there is none, or if the agent works. */
  editLast(): boolean;
  writeEdit(text: string): void;
  cancelEdit(): void;
  /** Sends the edited message instead of the old message. */
  saveEdit(): void;
  /** Asks for another answer to the same message. */
  regenerate(turnId: string): void;
  /** Switches to another version of a turn. The board does not change. */
  switchTo(turnId: string, direction: 'previous' | 'next'): void;
  /**
   * A question about the last of these commands, a problem with it, or how the board differs from the
   * conversation.
   */
  readonly notice: ReadonlySignal<BranchNotice | null>;
}

interface BranchingOptions {
  readonly session: ReadonlySignal<AgentSession>;
  readonly cues: Cues;
}

/** A command that rejected before the conversation changed. */
interface Refusal {
  readonly error: unknown;
  readonly command: BranchCommand;
  /** The turns at that moment. When they change, the refusal is outdated. */
  readonly turns: readonly TurnRecord[];
  run(options: Effects): Promise<unknown>;
}

interface Effects {
  readonly effects?: 'keep';
  readonly force?: true;
}

export function createBranching({ session, cues }: BranchingOptions): Branching {
  const edit = createTextEdit();
  const refused = signal<Refusal | null>(null);
  /** The turns for which a notice was dismissed. */
  const dismissed = signal('');
  /** The element from which the editing was started. */
  let home = 'message';

  const edited = computed(() => {
    const text = edit.current.value;
    return text && session.value.turns.value.some(({ id }) => id === text.id) ? text : null;
  });
  // If the user leaves a version, its editor is closed, and stays closed when the user returns to the version.
  effect(() => {
    if (edit.current.value !== null && edited.value === null) edit.end();
  });

  const beginEdit = ({ id, input }: TurnRecord, from: string): void => {
    home = from;
    edit.begin(id, textOf(input));
    cues.focus(`editor:${id}`);
  };

  const isIdle = (): boolean => !session.peek().isRunning.peek();

  /** @param run also rejects if the turn that it starts fails; such a turn has its own record */
  const carryOut = async (
    command: BranchCommand,
    run: Refusal['run'],
    options: Effects = {},
  ): Promise<void> => {
    const of = session.peek();
    const head = of.headTurnId.peek();
    refused.value = null;
    try {
      await run(options);
    } catch (error) {
      if (of.headTurnId.peek() === head) refused.value = { error, command, turns: of.turns.peek(), run };
    }
  };

  const leave = (): void => void (refused.value = null);
  const refusalNotice = ({ error, command, run }: Refusal): BranchNotice => {
    const turns = session.value.undoEntries.value;
    const again = (options: Effects) => () => void carryOut(command, run, options);
    const keep = { label: 'Keep them and go on', run: again({ effects: 'keep' }) };
    const force = { label: 'Go on anyway', isPrimary: true, run: again({ force: true }) } as const;
    const code = isAgentSessionError(error) ? error.code : '';
    if (code === 'conflict') {
      const actions = command === 'switch' ? [force] : [keep, force];
      return { kind: 'question', ...questionWords(command, error, turns), actions, leave };
    }
    const canKeep = code === 'undo-failed' && command !== 'switch';
    return { kind: 'problem', ...problemWords(error, turns), actions: canKeep ? [keep] : [], leave };
  };

  const stayingNotice = (): BranchNotice | null => {
    const staying = stayingIn(session.value);
    const words = stayingWords(staying, session.value.branches.value);
    const about = [...staying.others, ...staying.missing].map(({ turnId }) => turnId).join();
    if (words === null || dismissed.value === about) return null;
    return {
      kind: 'staying',
      ...words,
      actions: staying.canFollow ? [{ label: 'Switch the board', isPrimary: true, run: follow }] : [],
      leave: () => void (dismissed.value = about),
    };
  };

  const follow = (): void => {
    const of = session.peek();
    const head = of.headTurnId.peek();
    if (head === null) return;
    void carryOut('switch', ({ force }) => of.switchTo(head, { effects: 'follow', ...(force && { force }) }));
  };

  return {
    edited,
    editedTurn: computed(() => edited.value?.id ?? null),
    editHint: computed(() => {
      const turnId = edited.value?.id;
      if (turnId === undefined) return '';
      if (session.value.isRunning.value) return 'The agent works. You can save when it has ended.';
      const { all, fixed } = changesFrom(session.value, turnId);
      if (all === 0) return '';
      const rest = fixed === 0 ? '' : ` ${fixed} of them cannot be taken back.`;
      return `Saving takes back ${counted(all, 'change')} on the board.${rest}`;
    }),

    canSaveEdit: computed(() => !session.value.isRunning.value),

    beginEdit: (turn) => beginEdit(turn, `edit:${turn.id}`),

    editLast() {
      const last = session.peek().turns.peek().at(-1);
      if (last === undefined || !canRepeat(last) || !isIdle()) return false;
      beginEdit(last, 'message');
      return true;
    },

    writeEdit: (text) => edit.write(text),

    cancelEdit() {
      edit.end();
      cues.focus(home, 'message');
    },

    saveEdit() {
      const changed = edited.peek();
      const text = changed?.text.trim() ?? '';
      if (changed === null || text === '' || !isIdle()) return;
      const of = session.peek();
      const turn = of.turns.peek().find(({ id }) => id === changed.id);
      const input = withFiles(text, attachedIn(turn?.input.parts ?? []));
      void carryOut('edit', (options) => of.edit(changed.id, input, options));
    },

    regenerate(turnId) {
      const of = session.peek();
      if (isIdle()) void carryOut('regenerate', (options) => of.regenerate({ turnId, ...options }));
    },

    switchTo(turnId, direction) {
      const of = session.peek();
      const { position, ids } = of.branches.peek()[turnId] ?? { position: 1, ids: [] };
      const next = position + (direction === 'next' ? 1 : -1);
      const to = ids[next - 1];
      if (to === undefined || !isIdle()) return;
      const other = direction === 'next' ? 'previous' : 'next';
      cues.focus(`${direction}:${to}`, `${other}:${to}`);
      void carryOut('switch', async () => {
        await of.switchTo(to);
        cues.say(`Version ${next} of ${ids.length}`);
      });
    },

    notice: computed(() => {
      const { isRunning, interrupted, turns } = session.value;
      if (isRunning.value || interrupted.value !== null) return null;
      const refusal = refused.value;
      return refusal !== null && refusal.turns === turns.value ? refusalNotice(refusal) : stayingNotice();
    }),
  };
}
