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

/** One field and its value, immutable. A form is a tree of them. */
export interface FormNode {
  /** Unique in the form, and the same after a reset. Ids of the fields inside begin with it and `/`. */
  readonly id: string;
  readonly kind: FieldKind;
  readonly schema: FieldSchema;
  /** The property's name; empty in a list. */
  readonly name: string;
  /** Whether the field must have a value: a required property, an item of a list, a value of a row. */
  readonly isRequired: boolean;
  /** A property whose name the user may change, or remove. */
  readonly isRow: boolean;
  /** undefined where it is left out. */
  readonly value: JsonValue | undefined;
  /** The value that the model wrote at this place. */
  readonly written: JsonValue | undefined;
  /** The text of a control with a text. */
  readonly text: string;
  /** The fault of a text that is no value; `value` is the one before it. */
  readonly problem: string | null;
  /** Whether the name of a row is none that it can have; the row has no part in the value of its group then. */
  readonly hasNameProblem: boolean;
  readonly input: NativeInput | 'text' | 'email' | 'url';
  /** The zone of a value of a native control; null for a new one. */
  readonly zone: string | null;
  /** The fields inside; at most one for alternatives. */
  readonly children: readonly FormNode[];
  /** The index of the alternative in force, -1 for none. */
  readonly selected: number;
  /** The fields of alternatives that were in force before, by their index. */
  readonly others: ReadonlyMap<number, FormNode>;
}
