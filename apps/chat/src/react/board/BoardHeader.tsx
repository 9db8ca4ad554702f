import { useSignalValue } from '@handrail/react';
import { useState } from 'react';
import type { BoardEditor } from '../../board/board-editor.js';
import type { BoardHistory } from '../../board/board-history.js';
import { shortcuts } from '../../board/board-keys.js';
import type { BoardStore } from '../../board/board-store.js';
import { visibleText } from '../../text/visible-text.js';

interface BoardHeaderProps {
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  readonly history: BoardHistory;
}

export function BoardHeader({ board, editor, history }: BoardHeaderProps) {
  const publication = useSignalValue(board.publication);
  const edits = useSignalValue(history.groups).filter((group) => group.by === 'user');
  const [areShortcutsOpen, setShortcutsOpen] = useState(false);
  const [message, setMessage] = useState('');

  const announce = (done: ReturnType<BoardEditor['undo']>, words: string) => {
    if (!done) return;
    const outcome = done.state === 'kept' ? 'cannot be taken back: the card was changed later' : words;
    setMessage(`${visibleText(done.label)}: ${outcome}`);
  };

  return (
    <header className="board-header">
      <h2>Board</h2>
      {publication && (
        <span className="badge badge-done">
          Published for {publication.audience === 'team' ? 'the team' : 'everyone'}
        </span>
      )}
      <p className="visually-hidden" role="status" aria-label="Board status">
        {message}
      </p>
      <div className="board-actions">
        <button
          type="button"
          className="button button-quiet"
          disabled={!edits.some(({ state }) => state === 'done')}
          onClick={() => announce(editor.undo(), 'undone')}
        >
          Undo edit
        </button>
        <button
          type="button"
          className="button button-quiet"
          disabled={!edits.some(({ state }) => state === 'undone')}
          onClick={() => announce(editor.redo(), 'done again')}
        >
          Redo edit
        </button>
        <button
          type="button"
          className="button button-quiet"
          aria-expanded={areShortcutsOpen}
          onClick={() => setShortcutsOpen(!areShortcutsOpen)}
        >
          Shortcuts
        </button>
      </div>
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
