import type { JsonValue } from '@banister/session';
import type { NativeInput } from './native-text.js';
import type { FieldSchema } from './read-schema.js';

/** The kinds of fields. */
export type FieldKind =
  | 'text'
  | 'textarea'
  | 'number'
  | 'checkbox'
  | 'segments'
  | 'select'
  | 'fixed'
  | 'lines'
  | 'checks'
  | 'group'
  | 'list'
  | 'alternatives'
  | 'json';

/** A field and its value, immutable. A form is a tree of nodes. */
export interface FormNode {
  /** Unique in the form, and the same after a reset. The ids of inner fields start with this id and `/`. */
  readonly id: string;
  readonly kind: FieldKind;
  readonly schema: FieldSchema;
  /** The property's name; empty in a list. */
  readonly name: string;
  /** Whether the field must have a value: a required property, an item of a list, a value of a row. */
  readonly isRequired: boolean;
  /** Whether the field is a row: a property that the user may rename or remove. */
  readonly isRow: boolean;
  /** undefined if it is left out. */
  readonly value: JsonValue | undefined;
  /** The value that the model wrote at this place. */
  readonly written: JsonValue | undefined;
  /** The text of the control, for kinds that have a text. */
  readonly text: string;
  /** The error of an invalid text. `value` is the last valid value then. */
  readonly problem: string | null;
  /** Whether the name of the row is not allowed. The value of its group leaves the row out then. */
  readonly hasNameProblem: boolean;
  readonly input: NativeInput | 'text' | 'email' | 'url';
  /** The zone of the value of a native control; null for a new value. */
  readonly zone: string | null;
  /** The fields inside. Alternatives have at most one. */
  readonly children: readonly FormNode[];
  /** The index of the selected alternative; -1 if none is selected. */
  readonly selected: number;
  /** The fields of alternatives that were selected before, by index. */
  readonly others: ReadonlyMap<number, FormNode>;
}
