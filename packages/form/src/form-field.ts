import type { JsonValue } from '@banister/session';

/** The path to a value: names of properties and indexes of lists. */
export type FieldPath = readonly (string | number)[];

/** The members that all fields have. A field is plain data; it is the same object until something in it changes. */
export interface FieldBase {
  /**
   * Unique in the form, and valid as an `id` attribute. When an item is moved, its id moves with it. If a page shows several forms with the
   * same option `id`, add a prefix.
   */
  readonly id: string;
  readonly path: FieldPath;
  /** The title of the schema. If it has no title, the name of the property as words. */
  readonly label: string;
  /** The description of the schema. */
  readonly hint: string | null;
  readonly isRequired: boolean;
  /** `absent` if the value is left out. */
  readonly presence: 'given' | 'absent' | 'null';
  /** Whether `leaveOut` applies. A choice has an option for it instead. */
  readonly canLeaveOut: boolean;
  /** Whether `setNull` applies. A choice has an option for it instead. */
  readonly canBeNull: boolean;
  /** Whether `give` applies: to a text, a group, a list, checkboxes or a fixed value, if it is left out or `null`. */
  readonly canGive: boolean;
  /** The default of the schema as a short text, if the field is left out. */
  readonly preset: string | null;
  /** The errors to show; empty until the field is touched or the form is submitted. */
  readonly errors: readonly string[];
  /** Whether the value differs from what the model wrote. */
  readonly isChanged: boolean;
  /** For an item of a list: its position. */
  readonly item: { readonly isFirst: boolean; readonly isLast: boolean; readonly canRemove: boolean } | null;
  /** For a row, whose name the user may change: the name and its error. */
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
  /** The time zone of the control: `UTC+02:00`; null if there is none. */
  readonly zone: string | null;
  /** For a choice with very many values: the values that contain the text, at most 50. */
  readonly suggestions: readonly string[] | null;
}

export interface TextareaField extends FieldBase {
  readonly kind: 'textarea';
  readonly text: string;
}

/** A number. Draw it as `<input type="text" inputmode="…">`: an input of type `number` hides a text that is not a number. */
export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly text: string;
  readonly inputMode: 'numeric' | 'decimal';
  /** The bounds in words; null if there are none. */
  readonly limits: string | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly step: number | null;
}

export interface CheckboxField extends FieldBase {
  readonly kind: 'checkbox';
  readonly isChecked: boolean;
}

/** A choice of one value. `segments` has at most four values: draw it as a group of radio buttons. */
export interface ChoiceField extends FieldBase {
  readonly kind: 'segments' | 'select';
  readonly options: readonly FieldOption[];
}

/** A value that the schema fixes. */
export interface FixedField extends FieldBase {
  readonly kind: 'fixed';
  readonly text: string;
}

/** A list of strings, one per line. */
export interface LinesField extends FieldBase {
  readonly kind: 'lines';
  readonly text: string;
}

/** A list of choices: draw it as checkboxes. */
export interface ChecksField extends FieldBase {
  readonly kind: 'checks';
  readonly options: readonly FieldOption[];
}

/** An object. */
export interface GroupField extends FieldBase {
  readonly kind: 'group';
  readonly fields: readonly FormField[];
  /** Whether `add` adds a row, which is a property named by the user. */
  readonly canAdd: boolean;
}

/** A list. Its items are fields. */
export interface ListField extends FieldBase {
  readonly kind: 'list';
  readonly fields: readonly FormField[];
  readonly canAdd: boolean;
}

/** A value that may match one of several schemas. */
export interface AlternativesField extends FieldBase {
  readonly kind: 'alternatives';
  readonly options: readonly FieldOption[];
  /** The field of the selected alternative; null if none is selected. */
  readonly field: FormField | null;
}

/** Any other value, as JSON. */
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
  /** The labels on the path to the value: `Card › Title`. */
  readonly label: string;
  /** undefined if the model left it out. */
  readonly before: JsonValue | undefined;
  /** undefined if the user left it out. */
  readonly after: JsonValue | undefined;
}
