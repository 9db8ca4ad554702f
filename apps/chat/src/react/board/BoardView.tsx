import {
  allCallsOf,
  useSession,
  useSignalValue,
  type AgentSession,
  type ToolCallView,
} from '@banister/react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { ColumnId, Place } from '../../board/board.js';
import { cardIdOf } from '../../board/board-change.js';
import type { BoardEditor } from '../../board/board-editor.js';
import type { BoardHistory } from '../../board/board-history.js';
import { historyAction } from '../../board/board-keys.js';
import { boardMarks } from '../../board/board-marks.js';
import type { BoardStore } from '../../board/board-store.js';
import type { CardTraces } from '../../board/card-traces.js';
import { CardMotion } from '../../board/card-motion.js';
import { createIntoView } from '../../board/into-view.js';
import type { GuideLine } from '../../guide/guide-line.js';
import { questionAbout } from '../../session/question-about.js';
import type { Questions } from '../../session/questions.js';
import type { Review } from '../../session/review.js';
import { BoardHeader } from './BoardHeader.js';
import { ColumnView } from './ColumnView.js';

export interface BoardViewProps {
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  readonly history: BoardHistory;
  readonly session: AgentSession;
  readonly review: Review;
  readonly questions: Pick<Questions, 'current'>;
  readonly traces: CardTraces;
  readonly guide: Pick<GuideLine, 'shown'>;
}

export function BoardView({
  board,
  editor,
  history,
  session,
  review,
  questions,
  traces,
  guide,
}: BoardViewProps) {
  const columns = useSignalValue(board.columns);
  const selection = useSignalValue(board.selection);
  const marks = boardMarks({
    // Half-written arguments become ghosts on the board, so that a call is visible before it runs.
    calls: useSession(session, openCalls, isSameList),
    written: useSession(session, writtenCalls, isSameList),
    asked: useSession(session, (of) => askedCalls(of, questions), isSameList),
    approved: useSession(session, approvedCalls, isSameList),
    columns,
    open: useSignalValue(review.open),
    traces: useSignalValue(traces.all),
  });

  const words = useSignalValue(guide.shown);
  const [dropPlace, setDropPlace] = useState<Place | null>(null);
  const [newCardIn, setNewCardIn] = useState<ColumnId | null>(null);
  const surface = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const motion = useRef<CardMotion>(null);

  useCardsInView(surface, board, marks.inSight);
  useLayoutEffect(() => {
    motion.current ??= new CardMotion(surface.current!, layer.current!);
    motion.current.play();
  });
  useEffect(
    () => board.watch((change, kind) => kind === 'back' && motion.current?.noteBack(cardIdOf(change))),
    [board],
  );
  useForgetting(traces);

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
      // If the user has moved the focus meanwhile, or has begun to write, the focus stays.
      if (isElsewhere || activeElement instanceof HTMLInputElement) return;
      surface.current?.querySelector<HTMLElement>(`[data-card="${cardId}"] .card-title`)?.focus();
    };
    // A moved or renamed card is focused after React has drawn it in its new place.
    if (isInPlace) focus();
    else requestAnimationFrame(focus);
  }, []);

  const cards = columns.flatMap((column) => column.cards);
  const tabStop = cards.find(({ id }) => id === selection)?.id ?? cards[0]?.id;

  return (
    <section className="board" aria-label="Board" onKeyDown={onKeyDown}>
      <BoardHeader board={board} history={history} />
      <div className="board-surface" ref={surface}>
        {columns.map((column) => (
          <ColumnView
            key={column.id}
            column={column}
            columns={columns}
            board={board}
            editor={editor}
            marks={marks}
            review={review}
            guideWords={words?.beside === column.id ? words.text : null}
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

/** Scrolls cards into sight before the agent's changes of them show. */
function useCardsInView(
  surface: React.RefObject<HTMLDivElement | null>,
  board: BoardStore,
  announced: string | null,
): void {
  const changed = useRef<string[]>([]);
  const show = useRef<(element: Element | null | undefined) => void>(() => {});

  useLayoutEffect(() => {
    const view = createIntoView(surface.current!);
    show.current = (element) => element && view.show(element);
    const stop = board.watch((change, kind) => {
      if (kind !== 'user') changed.current.push(cardIdOf(change));
    });
    return () => {
      stop();
      view.stop();
    };
  }, [surface, board]);
  // Runs before the cards move, when they are drawn in their new places. The newest change is shown last, so
  // that it is certainly in sight.
  useLayoutEffect(() => {
    const ids = changed.current.splice(0);
    for (const id of ids.toReversed())
      show.current(surface.current!.querySelector(`[data-card="${CSS.escape(id)}"]`));
  });
  useLayoutEffect(() => {
    if (announced !== null)
      show.current(surface.current!.querySelector(`[data-motion="${CSS.escape(announced)}"]`));
  }, [surface, announced]);
}

/** The shortest time, in milliseconds, for which a card says that its change was undone. */
const FLASH_MS = 1600;

/** Cards say that their change was undone until the user's next input. */
function useForgetting(traces: CardTraces): void {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let since = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = traces.all.subscribe(() => (since = performance.now()));
    const forget = () => {
      clearTimeout(timer);
      const seen = traces.all.peek();
      // Runs after the click, because a shrinking card would move the pressed element.
      timer = setTimeout(
        () => traces.forgetUndone(seen),
        Math.max(since + FLASH_MS - performance.now(), 100),
      );
    };
    addEventListener('click', forget, { signal, capture: true });
    addEventListener('keydown', forget, { signal, capture: true });
    return () => {
      controller.abort();
      clearTimeout(timer);
      stop();
    };
  }, [traces]);
}

/**
 * Returns the calls that may still act. A declined call is left out, although it waits for the answers to the
 * others. Of an interrupted turn, only calls with a question are returned, because the others do not start
 * before the turn continues.
 */
function openCalls(session: AgentSession) {
  const isCut = session.interrupted.value !== null;
  return activeCalls(session).filter((call) => {
    const question = questionAbout(session, call).value;
    return isCut ? question === 'asked' : question !== 'declined' && question !== 'not-answered';
  });
}

/** Returns the calls of the last answer of the turn, and of the agents that work in them. */
function activeCalls({ activeToolCalls }: AgentSession): readonly ToolCallView[] {
  return activeToolCalls.value.flatMap((call) => [
    call,
    ...(call.children ?? []).filter(({ outcome }) => outcome === null).flatMap(allCallsOf),
  ]);
}

/**
 * Returns the call at the end of the answer, and of the answer of each agent, because an answer continues
 * after all other calls.
 */
function writtenCalls({ liveTurn, activeToolCalls }: AgentSession): readonly string[] {
  const agents = activeToolCalls.value.flatMap(({ children }) => children ?? []);
  return [liveTurn.value, ...agents].flatMap((turn) => {
    const last = turn?.rounds.at(-1)?.parts.at(-1);
    return last?.type === 'tool-call' ? last.id : [];
  });
}

/** Returns the asked calls. The unfolded question comes first, so that its card is in sight. */
function askedCalls({ pendingConfirmations }: AgentSession, { current }: Pick<Questions, 'current'>) {
  const first = current.value?.confirmation.call.id;
  const ids = pendingConfirmations.value.map(({ call }) => call.id);
  return first === undefined ? ids : [first, ...ids.filter((id) => id !== first)];
}

/** Returns the calls that the user approved while questions about other calls are open. */
function approvedCalls(session: AgentSession) {
  return activeCalls(session)
    .filter((call) => questionAbout(session, call).value === 'approved')
    .map(({ id }) => id);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((id, at) => id === b[at]);
}
