import { Fragment } from 'react';
import type { Column, Columns, Place } from '../../board/board.js';
import type { BoardEditor } from '../../board/board-editor.js';
import type { BoardStore } from '../../board/board-store.js';
import type { StagedCard } from '../../board/card-mark.js';
import type { BoardMarks } from '../../board/board-marks.js';
import { isGhost } from '../../board/pending-effects.js';
import type { Review } from '../../session/review.js';
import { Icon } from '../Icon.js';
import { CardView } from './CardView.js';
import { DeletedCard, GhostCard } from './GhostCard.js';
import { NewCard } from './NewCard.js';

interface ColumnViewProps {
  readonly column: Column;
  readonly columns: Columns;
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  readonly marks: BoardMarks;
  readonly review: Review;
  readonly selection: string | null;
  /** The only card of the board that Tab reaches. Arrow keys move on from there. */
  readonly tabStop: string | undefined;
  /** The guide line about these cards; null if there is none. */
  readonly guideWords: string | null;
  /** Where a dragged card would land. */
  readonly dropIndex: number | null;
  onDragOver(place: Place | null): void;
  focusCard(cardId: string, isInPlace?: boolean): void;
  readonly isAdding: boolean;
  onAdding(isAdding: boolean): void;
}

export function ColumnView(props: ColumnViewProps) {
  const { column, board, editor, marks, review, selection, tabStop, dropIndex, isAdding, onAdding } = props;
  const ghosts = marks.effects.filter(isGhost).filter((effect) => effect.column === column.id);
  const items = itemsOf(column, marks.deleted);
  const isEmpty = items.length === 0 && ghosts.length === 0;
  return (
    <div className="column" data-column={column.id}>
      <h3 className="column-title" id={`column-${column.id}`}>
        {column.title}
        <span className="column-count" aria-label={`${column.cards.length} cards`}>
          {column.cards.length}
        </span>
      </h3>
      <button
        type="button"
        className="button button-icon button-bare new-card-toggle"
        aria-label={`Add a card to ${column.title}`}
        onClick={() => onAdding(true)}
      >
        <Icon name="plus" />
      </button>
      <ul className="cards" aria-label={column.title}>
        {items.map((item) =>
          'change' in item ? (
            <DeletedCard
              key={`deleted-${item.card.id}`}
              deleted={item}
              staged={marks.stagedOn(item.card.id)}
              review={review}
            />
          ) : (
            <Fragment key={item.id}>
              {dropIndex === column.cards.indexOf(item) && <li className="drop-line" role="presentation" />}
              <CardView
                card={item}
                column={column}
                columns={props.columns}
                board={board}
                editor={editor}
                effect={marks.effectOn(item.id)}
                mark={marks.markOf(item.id)}
                staged={marks.stagedOn(item.id)}
                review={review}
                isSelected={selection === item.id}
                isTabStop={tabStop === item.id}
                onDragOver={props.onDragOver}
                focusCard={props.focusCard}
                onNew={() => onAdding(true)}
              />
            </Fragment>
          ),
        )}
        {dropIndex !== null && dropIndex >= column.cards.length && (
          <li className="drop-line" role="presentation" />
        )}
        {ghosts.map((ghost) => (
          <GhostCard key={ghost.callId} ghost={ghost} mark={marks.markOfEffect(ghost)} />
        ))}
      </ul>
      {props.guideWords !== null && (
        // The region of the chat reads them out.
        <p key={props.guideWords} className="guide-words" aria-hidden="true">
          {props.guideWords}
        </p>
      )}
      {isEmpty && !isAdding && (
        <p className="column-empty">
          Nothing here
          <button type="button" className="button button-bare" onClick={() => onAdding(true)}>
            Add
            <span className="visually-hidden"> the first card to {column.title}</span>
          </button>
        </p>
      )}
      {isAdding && (
        <NewCard
          columnTitle={column.title}
          onClose={() => onAdding(false)}
          onAdd={(title) => editor.add(column.id, title)}
        />
      )}
    </div>
  );
}

/** Returns the cards of a column. Cards whose deletion is under review are at their old places. */
function itemsOf(
  column: Column,
  deleted: readonly StagedCard[],
): readonly (Column['cards'][number] | StagedCard)[] {
  const items: (Column['cards'][number] | StagedCard)[] = [...column.cards];
  // Inserts the last deletion first, because each recorded place is before the later deletions.
  for (const staged of deleted.toReversed())
    if (staged.card.was?.column === column.title) items.splice(staged.card.was.index, 0, staged);
  return items;
}
