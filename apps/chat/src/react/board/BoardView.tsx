import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { ColumnId, Place } from '../../board/board.js';
import type { BoardEditor } from '../../board/board-editor.js';
import type { BoardHistory } from '../../board/board-history.js';
import { historyAction } from '../../board/board-keys.js';
import type { BoardStore } from '../../board/board-store.js';
import { CardMotion } from '../../board/card-motion.js';
import { isGhost, pendingEffects } from '../../board/pending-effects.js';
import { showWithin } from '../../board/show-within.js';
import { BoardHeader } from './BoardHeader.js';
import { ColumnView } from './ColumnView.js';

export interface BoardViewProps {
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  readonly history: BoardHistory;
  readonly session: AgentSession;
}

export function BoardView({ board, editor, history, session }: BoardViewProps) {
  const columns = useSignalValue(board.columns);
  const selection = useSignalValue(board.selection);
  // Half-written arguments become ghosts on the board: a call can be seen before it runs.
  const calls = useSession(session, openCalls);
  const effects = pendingEffects(calls, columns);

  const [dropPlace, setDropPlace] = useState<Place | null>(null);
  const [newCardIn, setNewCardIn] = useState<ColumnId | null>(null);
  const surface = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const motion = useRef<CardMotion>(null);

  useLayoutEffect(() => {
    motion.current ??= new CardMotion(surface.current!, layer.current!);
    motion.current.play();
  });

  // On a narrow screen only some columns are visible: scroll to the one where a ghost appears.
  const lastGhost = effects.findLast(isGhost)?.callId;
  useEffect(() => {
    const ghost = [...surface.current!.querySelectorAll('[data-ghost]')].at(-1);
    if (ghost) showWithin(surface.current!, ghost);
  }, [lastGhost]);

  const onKeyDown = (event: KeyboardEvent) => {
    const action = historyAction(event);
    if (!action || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    if (action === 'undo') editor.undo();
    else editor.redo();
  };
  const focusCard = useCallback((cardId: string, isInPlace = false) => {
    const focus = () => {
      const { activeElement } = document;
      const isElsewhere = activeElement !== document.body && !surface.current?.contains(activeElement);
      // A user who has moved the focus elsewhere meanwhile, or has begun to write, keeps it.
      if (isElsewhere || activeElement instanceof HTMLInputElement) return;
      surface.current?.querySelector<HTMLElement>(`[data-card="${cardId}"] .card-title`)?.focus();
    };
    // A card that was moved or renamed is focused after React has drawn it in its new place.
    if (isInPlace) focus();
    else requestAnimationFrame(focus);
  }, []);

  const cards = columns.flatMap((column) => column.cards);
  const tabStop = cards.find(({ id }) => id === selection)?.id ?? cards[0]?.id;

  return (
    <section className="board" aria-label="Board" onKeyDown={onKeyDown}>
      <BoardHeader board={board} editor={editor} history={history} />
      <div className="board-surface" ref={surface}>
        {columns.map((column) => (
          <ColumnView
            key={column.id}
            column={column}
            columns={columns}
            board={board}
            editor={editor}
            effects={effects}
            selection={selection}
            tabStop={tabStop}
            dropIndex={dropPlace?.column === column.id ? dropPlace.index : null}
            onDragOver={setDropPlace}
            focusCard={focusCard}
            isAdding={newCardIn === column.id}
            onAdding={(isAdding) => setNewCardIn(isAdding ? column.id : null)}
          />
        ))}
        <div className="board-layer" ref={layer} aria-hidden="true" />
      </div>
    </section>
  );
}

/** Of an interrupted turn only those whose arguments are complete: an answer that broke off is asked again. */
function openCalls({ activeToolCalls, interrupted }: AgentSession) {
  const calls = activeToolCalls.value;
  return interrupted.value === null ? calls : calls.filter(({ state }) => state === 'waiting');
}
