import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { Card, Column, Columns, Place } from '../../board/board.js';
import type { BoardEditor } from '../../board/board-editor.js';
import { cardAction, type CardAction } from '../../board/board-keys.js';
import type { BoardStore } from '../../board/board-store.js';
import { startCardDrag } from '../../board/card-drag.js';
import type { CardMark, StagedCard } from '../../board/card-mark.js';
import type { PendingEffect } from '../../board/pending-effects.js';
import type { Review } from '../../session/review.js';
import { visibleText } from '../../text/visible-text.js';
import { CardDetailsForm } from './CardDetailsForm.js';
import { CardFacts } from './CardFacts.js';
import { CardMenu } from './CardMenu.js';
import { CardSay } from './CardSay.js';
import { StagedChanges } from './StagedChanges.js';
import { TitleInput } from './TitleInput.js';

interface CardViewProps {
  readonly card: Card;
  readonly column: Column;
  readonly columns: Columns;
  readonly board: BoardStore;
  readonly editor: BoardEditor;
  /** The announced effect of a call on this card. */
  readonly effect: PendingEffect | undefined;
  /** The mark of this card, from `BoardMarks.markOf`; null if there is none. */
  readonly mark: CardMark | null;
  /** The card's changes under review. */
  readonly staged: readonly StagedCard[];
  readonly review: Review;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  onDragOver(place: Place | null): void;
  focusCard(cardId: string, isInPlace?: boolean): void;
  onNew(): void;
}

export function CardView(props: CardViewProps) {
  const { card, column, columns, board, editor, effect, mark, staged, isSelected, isTabStop, focusCard } =
    props;
  const [isRenaming, setRenaming] = useState(false);
  const [areDetailsOpen, setDetailsOpen] = useState(false);
  const element = useRef<HTMLLIElement>(null);

  const perform = (action: CardAction) => {
    const [verb, direction] = action.split('-') as [string, 'up' | 'down' | 'left' | 'right'];
    if (verb === 'rename') setRenaming(true);
    else if (verb === 'details') setDetailsOpen(true);
    else if (verb === 'delete') {
      const next = neighbour(columns, column, card, 'down') ?? neighbour(columns, column, card, 'up');
      editor.remove(card.id);
      if (next) focusCard(next);
    } else if (verb === 'move') {
      editor.nudge(card.id, direction);
      focusCard(card.id);
    } else {
      const next = neighbour(columns, column, card, direction);
      // Focused at once, so that a second key before the next frame goes to the next card.
      if (next) focusCard(next, true);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement) return;
    if (event.key.toLowerCase() === 'n' && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      props.onNew();
      return;
    }
    const action = cardAction(event);
    if (!action) return;
    event.preventDefault();
    perform(action);
  };
  const onPointerDown = (event: PointerEvent<HTMLLIElement>) => {
    if (isRenaming || (event.target as Element).closest('.card-answers')) return;
    startCardDrag(event.nativeEvent, {
      board: element.current!.closest<HTMLElement>('.board-surface')!,
      card: element.current!,
      over: props.onDragOver,
      drop: (place) => editor.move(card.id, place),
    });
  };

  const shown = effect?.type === 'edit' ? effect.card : card;
  return (
    <li
      ref={element}
      className="card"
      data-card={card.id}
      data-motion={card.id}
      data-effect={effect?.type}
      data-stage={effect?.stage}
      data-state={mark?.state}
      data-selected={isSelected || undefined}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
    >
      {isRenaming ? (
        <TitleInput
          label={`Title of ${card.title}`}
          initial={card.title}
          onSave={(text) => editor.rename(card.id, text)}
          onClose={() => {
            setRenaming(false);
            focusCard(card.id);
          }}
        />
      ) : (
        <>
          <span className="card-grip" data-grip aria-hidden="true" />
          <button
            type="button"
            className="card-title"
            aria-pressed={isSelected}
            tabIndex={isTabStop ? 0 : -1}
            onClick={() => board.select(isSelected ? null : card.id)}
            onDoubleClick={() => setRenaming(true)}
          >
            {visibleText(shown.title)}
            {effect?.type === 'delete' && <span className="visually-hidden">, about to be deleted</span>}
          </button>
          <CardMenu
            title={card.title}
            columns={columns}
            column={column}
            isTabStop={isTabStop}
            onAction={perform}
            onMove={(to) => {
              const { length: index } = columns.find(({ id }) => id === to)!.cards;
              editor.move(card.id, { column: to, index });
              focusCard(card.id);
            }}
          />
        </>
      )}
      {areDetailsOpen ? (
        <CardDetailsForm
          card={card}
          onSave={(details) => editor.detail(card.id, details)}
          onClose={() => {
            setDetailsOpen(false);
            focusCard(card.id);
          }}
        />
      ) : (
        <CardFacts card={shown} />
      )}
      {staged.length > 0 && <StagedChanges staged={staged} review={props.review} />}
      {staged.length === 0 && mark && <CardSay mark={mark} />}
    </li>
  );
}

/** Returns the id of the neighbouring card. */
function neighbour(
  columns: Columns,
  column: Column,
  card: Card,
  direction: 'up' | 'down' | 'left' | 'right',
): string | undefined {
  const index = column.cards.indexOf(card);
  if (direction === 'up') return column.cards[index - 1]?.id;
  if (direction === 'down') return column.cards[index + 1]?.id;
  const at = columns.indexOf(column);
  const beside = direction === 'left' ? columns.slice(0, at).reverse() : columns.slice(at + 1);
  const target = beside.find(({ cards }) => cards.length > 0);
  return target?.cards[Math.min(index, target.cards.length - 1)]?.id;
}
