import { useState, type FormEvent } from 'react';

interface NewCardProps {
  readonly columnTitle: string;
  readonly isOpen: boolean;
  onToggle(isOpen: boolean): void;
  onAdd(title: string): void;
}

export function NewCard({ columnTitle, isOpen, onToggle, onAdd }: NewCardProps) {
  const [title, setTitle] = useState('');

  if (!isOpen) {
    return (
      <button
        type="button"
        className="new-card-toggle"
        aria-label={`Add a card to ${columnTitle}`}
        onClick={() => onToggle(true)}
      >
        <span aria-hidden="true">+</span> Add a card
      </button>
    );
  }
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() === '') return onToggle(false);
    onAdd(title.trim());
    // The form stays open for the next card.
    setTitle('');
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
        onKeyDown={(event) => event.key === 'Escape' && onToggle(false)}
        onBlur={() => title.trim() === '' && onToggle(false)}
      />
    </form>
  );
}
