import type { JsonObject } from '@banister/session';
import { loadToolCheck } from '@banister/session/check';
import { createForm, type ArgumentForm, type FormField, type FormOptions } from '@banister/form';

/** Opens a form with the check of the session. */
export async function opened(
  parameters: JsonObject,
  value?: JsonObject,
  options: Partial<FormOptions> = {},
): Promise<ArgumentForm> {
  return createForm({ ...(await loadToolCheck({ name: 'work', parameters })), value, ...options });
}

/** Returns the field at a path of labels; throws if there is none. */
export function fieldAt(form: ArgumentForm, ...labels: readonly string[]): FormField {
  let fields = form.fields.value;
  let found: FormField | undefined;
  for (const label of labels) {
    found = fields.find((field) => field.label === label);
    if (!found) throw new Error(`no field "${label}" among ${fields.map((field) => field.label).join(', ')}`);
    fields = fieldsIn(found);
  }
  return found!;
}

/**
 * Returns the fields directly inside a field. The fields of an alternative count as inside the alternatives.
 */
export function fieldsIn(field: FormField): readonly FormField[] {
  if (field.kind === 'group' || field.kind === 'list') return field.fields;
  if (field.kind !== 'alternatives' || field.field === null) return [];
  return [field.field, ...fieldsIn(field.field)];
}

/** Returns the current state of a field. */
export function fieldNow(form: ArgumentForm, { id }: FormField): FormField {
  const search = (fields: readonly FormField[]): FormField | undefined => {
    for (const field of fields) {
      const found = field.id === id ? field : search(childrenOf(field));
      if (found) return found;
    }
    return undefined;
  };
  return search(form.fields.value)!;
}

/** Returns the fields that are drawn directly inside a field. */
export function childrenOf(field: FormField): readonly FormField[] {
  return field.kind === 'alternatives' ? fieldsIn(field).slice(0, 1) : fieldsIn(field);
}
