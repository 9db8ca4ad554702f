// The public entry.
export { createForm, type ArgumentForm, type FormOptions } from './create-form.js';
export type {
  AlternativesField,
  CheckboxField,
  ChecksField,
  ChoiceField,
  FieldBase,
  FieldOption,
  FieldPath,
  FixedField,
  FormField,
  GroupField,
  JsonField,
  LinesField,
  ListField,
  NumberField,
  TextareaField,
  TextField,
  ValueChange,
} from './form-field.js';
export { englishWords, type FormWords, type NumberBounds } from './form-words.js';
export { labelOf } from './label-of.js';
export { shortText } from './short-text.js';
