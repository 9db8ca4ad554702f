import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react';
import type { Column, ColumnId, Columns } from '../../board/board.js';
import type { CardAction } from '../../board/board-keys.js';
import { useBackLayer } from '../back-layer.js';

interface CardMenuProps {
  readonly title: string;
  readonly column: Column;
  readonly columns: Columns;
  readonly isTabStop: boolean;
  onAction(action: CardAction): void;
  onMove(to: ColumnId): void;
}

export function CardMenu({ title, column, columns, isTabStop, onAction, onMove }: CardMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);

  const close = () => {
    setOpen(false);
    toggle.current?.focus();
  };
  useBackLayer(isOpen, close);
  useEffect(() => {
    if (isOpen) root.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [isOpen]);

  const choose = (act: () => void) => () => {
    setOpen(false);
    act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    // Keys of the open menu are not shortcuts of the card.
    event.stopPropagation();
    const items = [...root.current!.querySelectorAll<HTMLElement>('[role="menuitem"]')];
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items.at(at - 1)?.focus();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  const onBlur = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget)) setOpen(false);
  };

  return (
    <div
      className="card-menu"
      ref={root}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      onPointerDown={(event) => event.stopPropagation()}
    >
      <button
        type="button"
        ref={toggle}
        className="card-menu-toggle"
        aria-label={`Actions for ${title}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        tabIndex={isTabStop ? 0 : -1}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="3" cy="8" r="1.4" />
          <circle cx="8" cy="8" r="1.4" />
          <circle cx="13" cy="8" r="1.4" />
        </svg>
      </button>
      {isOpen && (
        <div role="menu" aria-label={`Actions for ${title}`} className="menu">
          <MenuItem onChoose={choose(() => onAction('rename'))}>Rename</MenuItem>
          <MenuItem onChoose={choose(() => onAction('details'))}>Edit details</MenuItem>
          {columns
            .filter(({ id }) => id !== column.id)
            .map(({ id, title: target }) => (
              <MenuItem key={id} onChoose={choose(() => onMove(id))}>
                Move to {target}
              </MenuItem>
            ))}
          <MenuItem onChoose={choose(() => onAction('delete'))}>Delete</MenuItem>
        </div>
      )}
    </div>
  );
}

function MenuItem({ children, onChoose }: { readonly children: React.ReactNode; onChoose(): void }) {
  return (
    <button type="button" role="menuitem" tabIndex={-1} onClick={onChoose}>
      {children}
    </button>
  );
}
