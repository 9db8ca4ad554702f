import { useSignalValue } from '@banister/react';
import { useEffect, useRef, useState } from 'react';
import type { BoardHistory, HistoryGroup } from '../../board/board-history.js';
import { shortcuts } from '../../board/board-keys.js';
import type { BoardStore } from '../../board/board-store.js';
import { publicationWords } from '../../board/publication-words.js';
import { visibleText } from '../../text/visible-text.js';
import { useBackLayer } from '../back-layer.js';

interface BoardHeaderProps {
  readonly board: BoardStore;
  readonly history: BoardHistory;
}

export function BoardHeader({ board, history }: BoardHeaderProps) {
  const publication = useSignalValue(board.publication);
  const count = useSignalValue(board.columns).flatMap(({ cards }) => cards).length;
  const [areShortcutsOpen, setShortcutsOpen] = useState(false);
  useBackLayer(areShortcutsOpen, () => setShortcutsOpen(false));

  return (
    <header className="board-header">
      <h2>Product launch</h2>
      <p className="board-meta">
        {count === 1 ? '1 card' : `${count} cards`}
        {publication && <span className="badge badge-done">{publicationWords(publication)}</span>}
      </p>
      <p className="visually-hidden" role="status" aria-label="Board status">
        {useEditWords(history)}
      </p>
      <button
        type="button"
        className="button button-bare board-shortcuts"
        aria-expanded={areShortcutsOpen}
        onClick={() => setShortcutsOpen(!areShortcutsOpen)}
      >
        Shortcuts
      </button>
      {areShortcutsOpen && (
        <dl className="shortcuts">
          {shortcuts.map(({ keys, does }) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      )}
    </header>
  );
}

/** Returns the outcome of the user's last undo or redo of an edit, for a screen reader. */
function useEditWords(history: BoardHistory): string {
  const groups = useSignalValue(history.list);
  const before = useRef(groups);
  const [words, setWords] = useState('');
  useEffect(() => {
    const changed = groups.find(
      ({ id, by, state }) =>
        by === 'user' && before.current.some((group) => group.id === id && group.state !== state),
    );
    before.current = groups;
    if (changed) setWords(`${visibleText(changed.label)}: ${outcomes[changed.state]}`);
  }, [groups]);
  return words;
}

const outcomes: Readonly<Record<HistoryGroup['state'], string>> = {
  done: 'done again',
  undone: 'undone',
  kept: 'cannot be taken back: the card was changed later',
};
