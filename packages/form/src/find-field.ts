import type { FieldPath, FormField } from './form-field.js';
import type { FormNode } from './form-node.js';
import { labelOf } from './label-of.js';

/** Returns the first field in drawing order whose node has errors; null if there is none. */
export function firstField(
  field: FormField,
  node: FormNode,
  hasErrors: (node: FormNode) => boolean,
): FormField | null {
  const fields = insideOf(field);
  const inner = node.children
    .map((child, at) => firstField(fields[at]!, child, hasErrors))
    .find((found) => found !== null);
  // The errors of a group are drawn before its fields. The errors of the whole form have no field, so an inner field comes first.
  if (hasErrors(node) && (field.path.length > 0 || inner === undefined)) return field;
  return inner ?? null;
}

function insideOf(field: FormField): readonly FormField[] {
  if (field.kind === 'group' || field.kind === 'list') return field.fields;
  return field.kind === 'alternatives' && field.field ? [field.field] : [];
}

/** Returns the labels on the path to a value: `Card › Title`. */
export function labelOfPath(field: FormField, path: FieldPath): string {
  return labelsOf(field, path).join(' › ');
}

function labelsOf(field: FormField, path: FieldPath): readonly string[] {
  const inner = insideOf(field).find((one) => one.path.every((key, at) => key === path[at]));
  const own = field.path.length === 0 || (field.kind === 'alternatives' && inner) ? [] : [field.label];
  if (inner) return [...own, ...labelsOf(inner, path)];
  // The rest of the path has no fields, such as a row that was removed.
  const rest = path.slice(field.path.length);
  return [...own, ...rest.map((key) => (typeof key === 'number' ? String(key + 1) : labelOf(key)))];
}
