import { useSignalValue } from '@banister/react';
import type { BoardHistory, HistoryGroup } from '../../board/board-history.js';
import { visibleText } from '../../text/visible-text.js';

/** The board's own history. A turn of the agent is one entry, beside the user's edits. */
export function HistoryList({ history }: { readonly history: BoardHistory }) {
  const groups = useSignalValue(history.list);
  return (
    <section className="how-section">
      <h3>History of the board</h3>
      {groups.length === 0 && <p className="how-empty">Nothing was changed yet.</p>}
      <ol className="history">
        {groups.map((group) => (
          <li key={group.id} data-state={group.state}>
            {group.by === 'agent' ? `Agent: ${visibleText(group.label)}` : visibleText(group.label)}
            <span className="history-state">{stateWords(group)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function stateWords({ state, steps }: HistoryGroup): string {
  const size = steps === 1 ? '1 change' : `${steps} changes`;
  switch (state) {
    case 'done':
      return size;
    case 'undone':
      return `${size}, undone`;
    case 'kept':
      return `${size}, kept in part`;
  }
}
