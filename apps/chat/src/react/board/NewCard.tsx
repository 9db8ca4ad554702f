import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { isComposingKey } from '../../session/composing-key.js';

interface NewCardProps {
  readonly columnTitle: string;
  onClose(): void;
  onAdd(title: string): void;
}

/** The field for a new card, at the end of its column. */
export function NewCard({ columnTitle, onClose, onAdd }: NewCardProps) {
  const [title, setTitle] = useState('');

  const add = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return onClose();
    onAdd(title.trim());
    // The form stays open for the next card.
    setTitle('');
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Escape' || isComposingKey(event.nativeEvent)) return;
    // Escape closes the field, and does not stop the turn.
    event.stopPropagation();
    event.currentTarget.closest('.column')?.querySelector<HTMLElement>('.new-card-toggle')?.focus();
    onClose();
  };
  return (
    <form className="new-card" onSubmit={add}>
      <input
        autoFocus
        aria-label={`New card in ${columnTitle}`}
        placeholder="What is to be done?"
        value={title}
        maxLength={120}
        onChange={(event) => setTitle(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => title.trim() === '' && onClose()}
      />
    </form>
  );
}
