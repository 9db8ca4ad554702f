import type { JsonValue } from '@banister/session';

/** The keys that lead to a value: names of properties, and positions in lists. */
export type FieldPath = readonly (string | number)[];

/** The parts of every field. A field is plain data; it is the same object until something in it changes. */
export interface FieldBase {
  /**
   * Unique in the form, and usable in `id` attributes. It stays with an item that is moved. Put something before it where a page shows several
   * forms with the same option `id`.
   */
  readonly id: string;
  readonly path: FieldPath;
  /** The title of the schema, else the name of the property as words. */
  readonly label: string;
  /** The description of the schema. */
  readonly hint: string | null;
  readonly isRequired: boolean;
  /** `absent` where the value is left out. */
  readonly presence: 'given' | 'absent' | 'null';
  /** Whether `leaveOut` applies. Choices have an option for it instead. */
  readonly canLeaveOut: boolean;
  /** Whether `setNull` applies. Choices have an option for it instead. */
  readonly canBeNull: boolean;
  /** Whether `give` applies: to a group, a list, a text, a checkbox that are left out or `null`. */
  readonly canGive: boolean;
  /** The default of the schema as a short text, for a field that is left out. */
  readonly preset: string | null;
  /** The errors to show: none before the field was touched or the form was submitted. */
  readonly errors: readonly string[];
  /** Whether the value differs from what the model wrote. */
  readonly isChanged: boolean;
  /** For an item of a list: its place. */
  readonly item: { readonly isFirst: boolean; readonly isLast: boolean; readonly canRemove: boolean } | null;
  /** For a row, whose name the user may change: the name, and its error. */
  readonly row: { readonly name: string; readonly error: string | null } | null;
}

/** One option of a choice. */
export interface FieldOption {
  /** The key that `input` and `toggle` take. */
  readonly key: string;
  readonly label: string;
  readonly isSelected: boolean;
}

/** A line of text, a date or a time. */
export interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly text: string;
  /** The `type` of the `<input>`. */
  readonly input: 'text' | 'email' | 'url' | 'date' | 'time' | 'datetime-local';
  /** The zone that the time is in: `UTC+02:00`; null for none. */
  readonly zone: string | null;
  /** For a choice of very many values: those that the text is a part of, at most 50. */
  readonly suggestions: readonly string[] | null;
}

export interface TextareaField extends FieldBase {
  readonly kind: 'textarea';
  readonly text: string;
}

/** A number. Draw it as `<input type="text" inputmode="…">`: a control of type `number` hides what it cannot read. */
export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly text: string;
  readonly inputMode: 'numeric' | 'decimal';
  /** The bounds in words; null without any. */
  readonly limits: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly step: number | null;
}

export interface CheckboxField extends FieldBase {
  readonly kind: 'checkbox';
  readonly isChecked: boolean;
}

/** A choice of one value: `segments` has at most four, and is drawn as a group of radio buttons. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'segments' | 'select';
  readonly options: readonly FieldOption[];
}

/** A value that the schema fixes. */
export interface FixedField extends FieldBase {
  readonly kind: 'fixed';
  readonly text: string;
}

/** A list of texts, one a line. */
export interface LinesField extends FieldBase {
  readonly kind: 'lines';
  readonly text: string;
}

/** A list of choices, drawn as checkboxes. */
export interface ChecksField extends FieldBase {
  readonly kind: 'checks';
  readonly options: readonly FieldOption[];
}

/** An object. */
export interface GroupField extends FieldBase {
  readonly kind: 'group';
  readonly fields: readonly FormField[];
  /** Whether `add` adds a row: a property with a name of its own. */
  readonly canAdd: boolean;
}

/** A list, whose items are fields. */
export interface ListField extends FieldBase {
  readonly kind: 'list';
  readonly fields: readonly FormField[];
  readonly canAdd: boolean;
}

/** One of several schemas. */
export interface AlternativesField extends FieldBase {
  readonly kind: 'alternatives';
  readonly options: readonly FieldOption[];
  /** The field of the alternative in force; null for none. */
  readonly field: FormField | null;
}

/** Anything else, as JSON. */
export interface JsonField extends FieldBase {
  readonly kind: 'json';
  readonly text: string;
}

/** A field of a form. */
export type FormField =
  | TextField
  | TextareaField
  | NumberField
  | CheckboxField
  | ChoiceField
  | FixedField
  | LinesField
  | ChecksField
  | GroupField
  | ListField
  | AlternativesField
  | JsonField;

/** A value that differs from what the model wrote. */
export interface ValueChange {
  readonly path: FieldPath;
  /** The labels of the fields that lead to it: `Card › Title`. */
  readonly label: string;
  /** undefined where the model left it out. */
  readonly before: JsonValue | undefined;
  /** undefined where the user left it out. */
  readonly after: JsonValue | undefined;
}
