import { labelOf, type FormField } from '@banister/form';
import { unseenIn, visibleText } from '../text/visible-text.js';
import type { Picker, Pickers } from '../board/card-pickers.js';

/** The label of an option. A value that is one word in small letters is written as a word of a sentence is. */
export function optionLabel(label: string): string {
  return visibleText(/^[a-z]+$/.test(label) ? labelOf(label) : label);
}

/** Returns the words on a control beside its label: its limits, its zone, its unseen characters; empty where there are none. */
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

/** A control shows a text as it is. The note shows the characters in it that cannot be seen, with what is around them. */
function unseenNote(field: FormField): string {
  const isWritten = 'text' in field && field.kind !== 'fixed';
  const texts = [...(field.row ? [field.row.name] : []), ...(isWritten ? [field.text] : [])];
  const shown = texts.map(unseenIn).filter((text) => text !== '');
  return shown.length === 0 ? '' : `With what cannot be seen: ${shown.join(', ')}`;
}

/** The picker that takes the place of a text; null for every other field. */
export function pickerFor(field: FormField, pickers: Pickers): Picker | null {
  return field.kind === 'text' ? (pickers[field.path.join('/')] ?? null) : null;
}

/** The options of a picker by their group, in order. */
export function pickerGroups({ options }: Picker): readonly {
  readonly group: string;
  readonly options: Picker['options'];
}[] {
  const groups = [...new Set(options.map(({ group }) => group))];
  return groups.map((group) => ({ group, options: options.filter((option) => option.group === group) }));
}

/** The errors of a field, as they stand below it. */
export function fieldErrors({ errors, row }: FormField): string {
  return visibleText([...errors, ...(row?.error ? [row.error] : [])].join(', '));
}

/** The key of the option that is chosen; empty while none is. */
export function chosenKey(
  options: readonly { readonly key: string; readonly isSelected: boolean }[],
): string {
  return options.find(({ isSelected }) => isSelected)?.key ?? '';
}
