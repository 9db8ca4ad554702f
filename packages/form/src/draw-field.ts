import type { JsonObject, JsonValue } from '@banister/session';
import { partOf } from './build-node.js';
import type { FieldBase, FieldOption, FieldPath, FormField } from './form-field.js';
import type { FormNode } from './form-node.js';
import type { FormWords, NumberBounds } from './form-words.js';
import { labelOf } from './label-of.js';
import { zoneLabel } from './native-text.js';
import { plainText, type FieldSchema, type ReadSchema } from './read-schema.js';
import type { Placed } from './place-issues.js';
import { sameValue } from './same-value.js';
import { shortText } from './short-text.js';

/** The maximal number of property names that label an alternative without a title. */
const mostNames = 3;

/** The maximal number of suggestions beside a text field. */
const mostSuggestions = 50;

/** What fields are drawn from, in addition to their tree. */
export interface Drawing {
  readonly read: ReadSchema;
  readonly words: FormWords;
  readonly issues: Placed;
  /** Whether the errors of a field are shown. */
  shows(id: string): boolean;
  /** The value that the model wrote. */
  readonly written: JsonValue | undefined;
}

/** Returns the errors of a field, shown or not. */
export function errorsOf({ id, problem }: FormNode, issues: Placed): readonly string[] {
  return problem === null ? (issues.get(id) ?? []) : [problem];
}

/** Draws trees of fields. If nothing changed in a field, it is the same object as before, so that a view does not draw it again. */
export function fieldDrawer(): (root: FormNode, drawing: Drawing) => FormField {
  let before = new Map<string, FormField>();
  return (root, drawing) => {
    const now = new Map<string, FormField>();
    const draw = (node: FormNode, place: Placing): FormField => {
      const inside = insideOf(node, place, draw);
      const field = { ...baseOf(node, place, drawing), ...controlOf(node, drawing, inside) } as FormField;
      const known = before.get(node.id);
      const kept = known !== undefined && isSameField(known, field) ? known : field;
      now.set(node.id, kept);
      return kept;
    };
    const field = draw(root, { path: [], written: drawing.written, parent: null, index: 0 });
    before = now;
    return field;
  };
}

interface Placing {
  readonly path: FieldPath;
  readonly written: JsonValue | undefined;
  readonly parent: FormNode | null;
  readonly index: number;
}

type Draw = (node: FormNode, place: Placing) => FormField;

function insideOf(node: FormNode, { path, written }: Placing, draw: Draw): readonly FormField[] {
  return node.children.map((child, index) => {
    if (node.kind === 'alternatives') return draw(child, { path, written, parent: node, index });
    const key = node.kind === 'list' ? index : child.name;
    return draw(child, { path: [...path, key], written: partOf(written, String(key)), parent: node, index });
  });
}

function isSameField(one: FormField, other: FormField): boolean {
  const names = Object.keys(other) as (keyof FormField)[];
  return (
    names.every((name) => isSamePart(one[name], other[name])) && names.length === Object.keys(one).length
  );
}

/** Compares inner fields by identity, because they were compared before. */
function isSamePart(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => isSamePart(item, other[at]));
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if ('path' in one || Array.isArray(one) || Array.isArray(other)) return false;
  return Object.keys(other).every((name) => (one as JsonObject)[name] === (other as JsonObject)[name]);
}

// ------------------------------------------------------------------------------------------------ every field

function baseOf(node: FormNode, { path, written, parent, index }: Placing, drawing: Drawing): FieldBase {
  const { id, kind, schema, value, isRequired, isRow, name } = node;
  const { words } = drawing;
  const { title, description } = schema.keywords;
  const presence = value === undefined ? 'absent' : value === null ? 'null' : 'given';
  const isChoice = kind === 'segments' || kind === 'select' || kind === 'alternatives';
  const isInside = parent?.kind === 'alternatives';
  const isItem = parent?.kind === 'list';
  const ownLabel =
    parent === null ? words.allAsJson : isItem ? words.item(index + 1) : labelOf(name) || words.newRow;
  return {
    id,
    path,
    label: typeof title === 'string' && title !== '' && parent !== null ? title : ownLabel,
    hint: typeof description === 'string' && description !== '' ? description : null,
    isRequired,
    presence,
    canLeaveOut: !isChoice && !isRequired && !isInside && presence !== 'absent',
    canBeNull: !isChoice && !isInside && schema.nullable && presence !== 'null',
    canGive: presence !== 'given' && isGiven(node),
    preset:
      presence === 'absent' && schema.keywords['default'] !== undefined
        ? shortText(schema.keywords['default'], words)
        : null,
    errors: drawing.shows(id) ? errorsOf(node, drawing.issues) : [],
    isChanged: !sameValue(value, written),
    item: isItem ? itemOf(parent, index) : null,
    row: isRow ? { name, error: node.hasNameProblem ? words.nameTaken : null } : null,
  };
}

/** Whether `give` adds an initial value for this kind of field. For other kinds the user enters a value directly. */
function isGiven({ kind, input }: FormNode): boolean {
  if (kind === 'text') return input === 'text';
  return ['textarea', 'fixed', 'lines', 'checks', 'group', 'list'].includes(kind);
}

function itemOf({ children, schema }: FormNode, index: number): FieldBase['item'] {
  const { minItems } = schema.keywords;
  const isLast = index === children.length - 1;
  return { isFirst: index === 0, isLast, canRemove: !(children.length <= Number(minItems)) };
}

// ------------------------------------------------------------------------------------------------ each kind

type Control = FormField extends infer F ? (F extends FormField ? Omit<F, keyof FieldBase> : never) : never;

function controlOf(node: FormNode, { read, words }: Drawing, inside: readonly FormField[]): Control {
  const { kind, text, schema } = node;
  const { keywords } = schema;
  switch (kind) {
    case 'text':
      return { kind, text, input: node.input, zone: zoneOf(node), suggestions: suggestionsFor(node) };
    case 'textarea':
    case 'lines':
    case 'json':
    case 'fixed':
      return { kind, text };
    case 'number':
      return { kind, text, ...numberOf(keywords, words) };
    case 'checkbox':
      return { kind, isChecked: node.value === true };
    case 'segments':
    case 'select':
      return { kind, options: optionsOf(node, words) };
    case 'checks':
      return { kind, options: checksOf(node, read(keywords['items'])) };
    case 'group':
      return {
        kind,
        fields: inside,
        canAdd: node.value !== undefined && node.value !== null && canHaveRows(keywords),
      };
    case 'list': {
      const isFull = node.children.length >= Number(keywords['maxItems'] ?? Infinity);
      return { kind, fields: inside, canAdd: Array.isArray(node.value) && !isFull };
    }
    case 'alternatives':
      return { kind, options: alternativesOf(node, read, words), field: inside[0] ?? null };
  }
}

function canHaveRows({ additionalProperties }: JsonObject): boolean {
  return typeof additionalProperties === 'object' && additionalProperties !== null;
}

function zoneOf({ input, text, zone }: FormNode): string | null {
  return input === 'time' || input === 'datetime-local' ? zoneLabel(input, text, zone) : null;
}

function suggestionsFor({ schema, text }: FormNode): readonly string[] | null {
  if (schema.type !== 'choice') return null;
  const wanted = text.toLowerCase();
  const found: string[] = [];
  for (const { label } of schema.choices) {
    if (label.toLowerCase().includes(wanted)) found.push(label);
    if (found.length === mostSuggestions) break;
  }
  return found;
}

function numberOf(keywords: JsonObject, words: FormWords) {
  const bound = (name: string) => (typeof keywords[name] === 'number' ? keywords[name] : undefined);
  const isInteger = keywords['type'] === 'integer';
  const bounds: NumberBounds = {
    min: bound('minimum'),
    max: bound('maximum'),
    above: bound('exclusiveMinimum'),
    below: bound('exclusiveMaximum'),
    step: bound('multipleOf') ?? (isInteger ? 1 : undefined),
  };
  return {
    inputMode: isInteger ? 'numeric' : 'decimal',
    limits: words.limits(bounds) || null,
    min: bounds.min ?? null,
    max: bounds.max ?? null,
    step: bounds.step ?? null,
  } as const;
}

function optionsOf(
  { schema, value, written, isRequired }: FormNode,
  words: FormWords,
): readonly FieldOption[] {
  const options: FieldOption[] = schema.choices.map((choice, index) => ({
    key: String(index),
    label: choice.label,
    isSelected: sameValue(choice.value, value),
  }));
  const isOdd = (one: JsonValue | undefined) =>
    one !== undefined &&
    !(one === null && schema.nullable) &&
    !schema.choices.some((choice) => sameValue(choice.value, one));
  // If the model wrote a value that is not in the schema, it stays among the options.
  if (isOdd(written))
    options.push({ key: 'written', label: plainText(written!), isSelected: sameValue(written, value) });
  if (schema.nullable) options.push({ key: 'null', label: words.none, isSelected: value === null });
  return withNone(options, isRequired, value === undefined, words);
}

/** Puts the option of no value first, if the field is not required. */
function withNone(
  options: readonly FieldOption[],
  isRequired: boolean,
  isSelected: boolean,
  words: FormWords,
): readonly FieldOption[] {
  return isRequired ? options : [{ key: '', label: words.notGiven, isSelected }, ...options];
}

function checksOf({ value }: FormNode, { choices }: FieldSchema): readonly FieldOption[] {
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  return choices.map((choice, index) => ({
    key: String(index),
    label: choice.label,
    isSelected: items.some((item) => sameValue(item, choice.value)),
  }));
}

function alternativesOf(node: FormNode, read: ReadSchema, words: FormWords): readonly FieldOption[] {
  const { schema, selected, value, isRequired } = node;
  const options: FieldOption[] = schema.branches.map((branch, index) => ({
    key: String(index),
    label: branchLabel(branch, index, { read, words }),
    isSelected: index === selected,
  }));
  const isOpen = node.children.length === 0;
  if (schema.nullable) options.push({ key: 'null', label: words.none, isSelected: isOpen && value === null });
  if (selected < 0 && !isOpen) options.push({ key: '-1', label: words.allAsJson, isSelected: true });
  return withNone(options, isRequired, isOpen && value !== null, words);
}

/** Returns the name of an alternative: its title, the value that distinguishes it, its property names, or its type. */
function branchLabel(
  branch: JsonObject,
  index: number,
  { read, words }: Pick<Drawing, 'read' | 'words'>,
): string {
  const { title, properties } = branch;
  if (typeof title === 'string' && title !== '') return title;
  for (const property of Object.values((properties ?? {}) as JsonObject)) {
    const { type, choices } = read(property);
    if (type === 'fixed' && choices[0]!.value !== null) return labelOf(choices[0]!.label);
  }
  const { type, choices, keywords } = read(branch);
  if (type === 'fixed') return choices[0]!.label;
  const names = Object.keys((properties ?? {}) as JsonObject);
  if (type === 'object' && names.length > 0) return names.slice(0, mostNames).map(labelOf).join(', ');
  const items = type === 'array' ? read(keywords['items']).type : undefined;
  return words.typeName(type, items) ?? String(index + 1);
}
