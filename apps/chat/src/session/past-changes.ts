import type { AgentSession } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { isFirstBoard } from '../board/first-board.js';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardStore } from '../board/board-store.js';
import type { TurnUndo } from './turn-undo.js';

/** Changes of the board that this chat cannot undo: changes of an earlier page, and of other chats. */
export interface PastChanges {
  /**
   * The reason, and where they can be undone; null while something can be undone or redone, and if no change
   * is left.
   */
  readonly notice: ReadonlySignal<string | null>;
  /** Resets the board to its first state. That is an edit of the user, which can be undone. */
  startFresh(): void;
}

interface PastChangesOptions {
  readonly board: BoardStore;
  readonly editor: Pick<BoardEditor, 'startFresh'>;
  readonly session: ReadonlySignal<AgentSession>;
  readonly turnUndo: Pick<TurnUndo, 'canUndo' | 'canRedo'>;
  readonly chats: { readonly hasOthers: ReadonlySignal<boolean> };
}

export function createPastChanges({
  board,
  editor,
  session,
  turnUndo,
  chats,
}: PastChangesOptions): PastChanges {
  /** Whether the board had changes when the page was loaded. */
  const isOld = !isFirstBoard(board.columns.peek());

  return {
    notice: computed(() => {
      const { isRunning, interrupted, link } = session.value;
      if (isRunning.value || interrupted.value !== null || !link.value.open) return null;
      if (turnUndo.canUndo.value || turnUndo.canRedo.value || isFirstBoard(board.columns.value)) return null;
      if (chats.hasOthers.value)
        return 'Changes of other chats are on the board. Each chat can undo its own.';
      return isOld ? 'Changes from before this page was loaded can no longer be undone.' : null;
    }),

    startFresh() {
      editor.startFresh();
    },
  };
}
