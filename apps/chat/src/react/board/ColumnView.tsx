import { Fragment } from 'react';
import type { Column, Columns, Place } from '../../board/board.js';
import type { BoardEditor } from '../../board/board-editor.js';
import type { BoardStore } from '../../board/board-store.js';
import { isGhost, type PendingEffect } from '../../board/pending-effects.js';
import { CardView } from './CardView.js';
import { GhostCard } from './GhostCard.js';
import { NewCard } from './NewCard.js';

interface ColumnViewProps {
  readonly column: Column;
  readonly columns: Columns;
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  readonly effects: readonly PendingEffect[];
  readonly selection: string | null;
  /** The one card of the board that Tab goes to; arrow keys go on from there. */
  readonly tabStop: string | undefined;
  /** Where a dragged card would land. */
  readonly dropIndex: number | null;
  onDragOver(place: Place | null): void;
  focusCard(cardId: string, isInPlace?: boolean): void;
  readonly isAdding: boolean;
  onAdding(isAdding: boolean): void;
}

export function ColumnView(props: ColumnViewProps) {
  const { column, board, editor, effects, selection, tabStop, dropIndex, isAdding, onAdding } = props;
  const ghosts = effects.filter(isGhost).filter((effect) => effect.column === column.id);
  return (
    <div className="column" data-column={column.id}>
      <h3 className="column-title" id={`column-${column.id}`}>
        {column.title}
        <span className="column-count" aria-label={`${column.cards.length} cards`}>
          {column.cards.length}
        </span>
      </h3>
      <ul className="cards" aria-label={column.title}>
        {column.cards.map((card, index) => (
          <Fragment key={card.id}>
            {dropIndex === index && <li className="drop-line" role="presentation" />}
            <CardView
              card={card}
              column={column}
              columns={props.columns}
              board={board}
              editor={editor}
              effect={effects.find((effect) => 'cardId' in effect && effect.cardId === card.id)}
              isSelected={selection === card.id}
              isTabStop={tabStop === card.id}
              onDragOver={props.onDragOver}
              focusCard={props.focusCard}
              onNew={() => onAdding(true)}
            />
          </Fragment>
        ))}
        {dropIndex !== null && dropIndex >= column.cards.length && (
          <li className="drop-line" role="presentation" />
        )}
        {ghosts.map((ghost) => (
          <GhostCard key={ghost.callId} ghost={ghost} />
        ))}
      </ul>
      <NewCard
        columnTitle={column.title}
        isOpen={isAdding}
        onToggle={onAdding}
        onAdd={(title) => editor.add(column.id, title)}
      />
    </div>
  );
}
