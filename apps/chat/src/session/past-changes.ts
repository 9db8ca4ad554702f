import { computed, signal, type AgentSession, type ReadonlySignal, type TurnRecord } from '@handrail/session';
import { isFirstBoard } from '../board/first-board.js';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardStore } from '../board/board-store.js';
import type { TurnUndo } from './turn-undo.js';

/** Changes on the board that no undo reaches: their history ended with the page, or with the chat before. */
export interface PastChanges {
  /** Says that they cannot be undone; null while something can be undone or redone, and where no change is left. */
  readonly notice: ReadonlySignal<string | null>;
  /** Puts the board back to its start. It is an edit of the user, which can be undone. */
  startFresh(): void;
  /** Called when a chat has been replaced by a new one. */
  chatEnded(turns: readonly TurnRecord[]): void;
}

interface PastChangesOptions {
  readonly board: BoardStore;
  readonly editor: Pick<BoardEditor, 'startFresh'>;
  readonly session: ReadonlySignal<AgentSession>;
  readonly turnUndo: Pick<TurnUndo, 'canUndo' | 'canRedo'>;
}

const words = {
  page: 'Changes from before this page was loaded can no longer be undone.',
  chat: 'Changes from the chat before can no longer be undone.',
} as const;

export function createPastChanges({ board, editor, session, turnUndo }: PastChangesOptions): PastChanges {
  /** Whether the history ended with the page or with the chat; null while every change has its history. */
  const ended = signal<keyof typeof words | null>(isFirstBoard(board.columns.peek()) ? null : 'page');

  return {
    notice: computed(() => {
      const { isRunning, interrupted, link } = session.value;
      if (ended.value === null || isRunning.value || interrupted.value !== null || !link.value.open)
        return null;
      if (turnUndo.canUndo.value || turnUndo.canRedo.value) return null;
      return isFirstBoard(board.columns.value) ? null : words[ended.value];
    }),

    startFresh() {
      editor.startFresh();
    },

    chatEnded(turns) {
      if (turns.some(changedTheBoard)) ended.value = 'chat';
    },
  };
}

function changedTheBoard({ effects, outcome, undo }: TurnRecord): boolean {
  const { failed = [], irreversible = [], lost = [] } = outcome?.report ?? {};
  const left = [...effects, ...failed, ...irreversible, ...lost];
  return left.length > 0 && undo?.state !== 'undone';
}
