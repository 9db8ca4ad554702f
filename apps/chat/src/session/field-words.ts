import { labelOf, type FormField } from '@banister/form';
import { unseenIn, visibleText } from '../text/visible-text.js';
import type { Picker, Pickers } from '../board/card-pickers.js';

/** Returns the label of an option. If it is one word in lower case, it is capitalised. */
export function optionLabel(label: string): string {
  return visibleText(/^[a-z]+$/.test(label) ? labelOf(label) : label);
}

/**
 * Returns the note beside the label of a control: its limits, its time zone, its invisible characters; empty
 * if there are none.
 */
export function fieldNote(field: FormField): string {
  return [kindNote(field), unseenNote(field)].filter((note) => note !== '').join('. ');
}

function kindNote(field: FormField): string {
  switch (field.kind) {
    case 'number':
      return field.limits ?? '';
    case 'text':
      return field.zone ?? '';
    case 'lines':
      return 'One a line';
    default:
      return '';
  }
}

/** A control shows text unchanged. The note shows its invisible characters, with the text around them. */
function unseenNote(field: FormField): string {
  const isWritten = 'text' in field && field.kind !== 'fixed';
  const texts = [...(field.row ? [field.row.name] : []), ...(isWritten ? [field.text] : [])];
  const shown = texts.map(unseenIn).filter((text) => text !== '');
  return shown.length === 0 ? '' : `With what cannot be seen: ${shown.join(', ')}`;
}

/** Returns the picker that replaces the text of a field; null for every other field. */
export function pickerFor(field: FormField, pickers: Pickers): Picker | null {
  return field.kind === 'text' ? (pickers[field.path.join('/')] ?? null) : null;
}

/** Returns the options of a picker by group, in order. */
export function pickerGroups({ options }: Picker): readonly {
  readonly group: string;
  readonly options: Picker['options'];
}[] {
  const groups = [...new Set(options.map(({ group }) => group))];
  return groups.map((group) => ({ group, options: options.filter((option) => option.group === group) }));
}

/** Returns the errors of a field, as shown below it. */
export function fieldErrors({ errors, row }: FormField): string {
  return visibleText([...errors, ...(row?.error ? [row.error] : [])].join(', '));
}

/** Returns the key of the chosen option; empty if none is chosen. */
export function chosenKey(
  options: readonly { readonly key: string; readonly isSelected: boolean }[],
): string {
  return options.find(({ isSelected }) => isSelected)?.key ?? '';
}
