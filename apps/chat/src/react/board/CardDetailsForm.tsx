import { useEffect, useId, useRef, type FormEvent, type KeyboardEvent } from 'react';
import type { Card, CardDetails } from '../../board/board.js';
import { detailsIn, detailTitles, labels, owners } from '../../board/card-details.js';
import { useBackLayer } from '../back-layer.js';

interface CardDetailsFormProps {
  readonly card: Card;
  onSave(details: CardDetails): void;
  onClose(): void;
}

/** The form for the details of a card, in the card's place. Enter saves, Escape cancels. */
export function CardDetailsForm({ card, onSave, onClose }: CardDetailsFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('select')?.focus(), []);
  useBackLayer(true, onClose);

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { owner, due, label, estimate } = Object.fromEntries(new FormData(event.currentTarget));
    onSave(detailsIn({ owner, due, label, ...(estimate === '' ? {} : { estimate: Number(estimate) }) }));
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of the form are not shortcuts of the card, and Escape does not stop the turn.
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };

  return (
    <form
      ref={form}
      className="card-details"
      aria-label={`Details of ${card.title}`}
      onSubmit={save}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.stopPropagation()}
    >
      <Choice name="owner" options={owners} value={card.owner} />
      <Field name="due" title={detailTitles.due} type="date" value={card.due} />
      <Choice name="label" options={labels} value={card.label} />
      <Field
        name="estimate"
        title="Days of work"
        type="number"
        value={card.estimate}
        min="0.5"
        max="30"
        step="0.5"
      />
      <div className="card-details-foot">
        <button type="button" className="button button-bare" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button button-primary">
          Save
        </button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly name: 'owner' | 'label';
  readonly options: readonly string[];
  readonly value: string | undefined;
}

function Choice({ name, options, value = '' }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{detailTitles[name]}</label>
      <select id={id} name={name} defaultValue={value}>
        <option value="">None</option>
        {/* A value of an earlier release is kept as an option. */}
        {[...new Set([...options, ...(value === '' ? [] : [value])])].map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </>
  );
}

interface FieldProps extends Pick<React.ComponentProps<'input'>, 'type' | 'min' | 'max' | 'step'> {
  readonly name: 'due' | 'estimate';
  readonly value: string | number | undefined;
  readonly title: string;
}

function Field({ name, value, title, ...input }: FieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{title}</label>
      <input id={id} name={name} defaultValue={value ?? ''} {...input} />
    </>
  );
}
