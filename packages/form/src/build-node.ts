import type { JsonObject, JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { FieldKind, FormNode } from './form-node.js';
import { toNative, type NativeInput } from './native-text.js';
import { plainText, type FieldSchema, type ReadSchema } from './read-schema.js';
import { sameValue } from './same-value.js';
import { branchOf } from './branch-of.js';

/** The maximal number of fields in a form. The rest is edited as JSON. */
const mostFields = 2_000;
/** The maximal depth of fields. */
const deepest = 12;
/** The maximal number of values that a choice shows. A choice with more values is a text field with suggestions. */
const mostChoices = 200;
/** The maximal number of values that are drawn as segments. */
const mostSegments = 4;
/** A string longer than this gets a text area. */
const longText = 80;

/** Makes the fields of one form. */
export interface NodeBuilder {
  readonly read: ReadSchema;
  build(place: Place, schema: FieldSchema, value: JsonValue | undefined): FormNode;
  /** Sets how many fields the form has before a change. */
  begin(count: number): void;
  /** Returns a part of an id that no other field has. */
  next(): string;
}

/** Where a field is made, and for which value. */
export interface Place extends Pick<FormNode, 'id' | 'name' | 'isRequired' | 'isRow'> {
  /** What the model wrote. Default: the initial value of the field. */
  readonly written?: JsonValue | undefined;
}

const leaf = {
  text: '',
  problem: null,
  hasNameProblem: false,
  input: 'text',
  zone: null,
  children: [],
  selected: -1,
  others: new Map<number, FormNode>(),
} as const;

export function nodeBuilder(read: ReadSchema): NodeBuilder {
  let ids = 0;
  let fields = 0;
  const builder: NodeBuilder = {
    read,
    next: () => String(++ids),
    begin: (count) => void (fields = count),
    build(place, schema, value) {
      fields++;
      const isFull = place.id.split('/').length > deepest || fields + partsOf(schema, value) > mostFields;
      const node = {
        ...leaf,
        ...place,
        written: 'written' in place ? place.written : value,
        schema,
        value,
        kind: isFull ? 'json' : kindOf(schema, value),
      } satisfies FormNode;
      return withParts(builder, node);
    },
  };
  return builder;
}

/** Returns how many fields a value adds directly inside its field. */
function partsOf({ type, keywords }: FieldSchema, value: JsonValue | undefined): number {
  if (Array.isArray(value)) return value.length;
  if (type !== 'object' || !isJsonObject(value)) return 0;
  return Object.keys(value).length + Object.keys(keywords['properties'] ?? {}).length;
}

/** Returns the kind of field that can show a value. A value that contradicts its schema is shown as JSON. */
function kindOf(schema: FieldSchema, value: JsonValue | undefined): FieldKind {
  const { type, nullable, choices } = schema;
  const isOpen = value === undefined || (value === null && nullable);
  switch (type) {
    case 'fixed':
      return isOpen || sameValue(value, choices[0]!.value) ? 'fixed' : 'json';
    case 'choice':
      if (choices.length <= mostSegments) return 'segments';
      if (choices.length <= mostChoices) return 'select';
      return isOpen || choices.some((choice) => sameValue(choice.value, value)) ? 'text' : 'json';
    case 'boolean':
      return isOpen || typeof value === 'boolean' ? 'checkbox' : 'json';
    case 'number':
      return isOpen || typeof value === 'number' ? 'number' : 'json';
    case 'string':
      if (isOpen) return isLong(schema.keywords, '') ? 'textarea' : 'text';
      return typeof value !== 'string' ? 'json' : isLong(schema.keywords, value) ? 'textarea' : 'text';
    case 'array':
      return isOpen || Array.isArray(value) ? 'list' : 'json';
    case 'object':
      return (isOpen || isJsonObject(value)) && hasFields(schema.keywords) ? 'group' : 'json';
    case 'alternatives':
      return type;
    case 'any':
      return 'json';
  }
}

function isLong({ maxLength, contentMediaType, format }: JsonObject, value: string): boolean {
  if (value.length > longText || /[\r\n]/.test(value)) return true;
  return contentMediaType !== undefined || (Number(maxLength) > longText && format === undefined);
}

/** Whether an object is edited field by field. An object without `properties` or a schema for additional properties may hold anything. */
function hasFields({ properties, additionalProperties }: JsonObject): boolean {
  return Object.keys(properties ?? {}).length > 0 || isJsonObject(additionalProperties);
}

function withParts(builder: NodeBuilder, node: FormNode): FormNode {
  switch (node.kind) {
    case 'text':
    case 'textarea':
      return withText(node);
    case 'number':
    case 'fixed':
    case 'json':
      return { ...node, text: textOf(node) };
    case 'group':
      return { ...node, children: membersOf(builder, node) };
    case 'list':
      return withItems(builder, node);
    case 'alternatives':
      return withBranch(builder, node, branchOf(builder.read, node.schema.branches, node.value));
    default:
      return node;
  }
}

function textOf({ kind, schema, value }: FormNode): string {
  if (kind === 'fixed') return plainText(schema.choices[0]!.value);
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, null, 2);
  return typeof value === 'number' ? String(value) : '';
}

const inputs: Readonly<Record<string, FormNode['input']>> = {
  date: 'date',
  time: 'time',
  'date-time': 'datetime-local',
  email: 'email',
  uri: 'url',
};

function withText(node: FormNode): FormNode {
  const { value, schema, kind } = node;
  if (schema.type === 'choice') {
    const text = schema.choices.find((choice) => sameValue(choice.value, value))?.label ?? '';
    return { ...node, text };
  }
  const { format } = schema.keywords;
  const known = typeof format === 'string' && Object.hasOwn(inputs, format) ? inputs[format]! : 'text';
  const input = kind === 'text' ? known : 'text';
  const text = typeof value === 'string' ? value : '';
  const native = isNative(input) && text !== '' ? toNative(input, text) : { text };
  return native === null ? { ...node, text } : { ...node, ...native, input };
}

export function isNative(input: FormNode['input']): input is NativeInput {
  return input === 'date' || input === 'time' || input === 'datetime-local';
}

// ------------------------------------------------------------------------------------------------ groups

function membersOf(builder: NodeBuilder, { id, schema, value, written }: FormNode): FormNode[] {
  if (!isJsonObject(value)) return [];
  const properties = isJsonObject(schema.keywords['properties']) ? schema.keywords['properties'] : {};
  const required = schema.keywords['required'];
  const names = Object.keys(properties).filter((name) => name !== '__proto__');
  const known = names.map((name) =>
    builder.build(
      {
        id: `${id}/${idPart(name)}`,
        name,
        isRequired: Array.isArray(required) && required.includes(name),
        isRow: false,
        written: partOf(written, name),
      },
      builder.read(properties[name]),
      partOf(value, name),
    ),
  );
  const others = Object.keys(value).filter((name) => !names.includes(name));
  return [
    ...known,
    ...others.map((name) => rowOf(builder, { id, schema }, [name, value[name]], partOf(written, name))),
  ];
}

/** Makes the field of a property that the schema does not name. If `additionalProperties` is a schema, the field is a row. */
export function rowOf(
  builder: NodeBuilder,
  { id, schema }: Pick<FormNode, 'id' | 'schema'>,
  [name, value]: readonly [string, JsonValue | undefined],
  written: JsonValue | undefined,
): FormNode {
  const { additionalProperties } = schema.keywords;
  const isRow = isJsonObject(additionalProperties);
  const part = isRow ? `_${builder.next()}` : idPart(name);
  const place = { id: `${id}/${part}`, name, isRequired: isRow, isRow, written };
  return builder.build(place, builder.read(isRow ? additionalProperties : schemaLike(value)), value);
}

/** Returns a schema for a value without a schema. */
function schemaLike(value: JsonValue | undefined): JsonObject {
  return ['string', 'number', 'boolean'].includes(typeof value) ? { type: typeof value } : {};
}

export function partOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as JsonObject)[name]
    : undefined;
}

/** Returns a name with the characters that are allowed in an `id` attribute. */
function idPart(name: string): string {
  return name.replace(/[^\w-]/g, (char) => `.${char.codePointAt(0)!.toString(16)}`).replace(/^_/, '.5f');
}

// ------------------------------------------------------------------------------------------------ lists

function withItems(builder: NodeBuilder, node: FormNode): FormNode {
  const { items, prefixItems } = node.schema.keywords;
  const value = Array.isArray(node.value) ? (node.value as readonly JsonValue[]) : [];
  const kind =
    isJsonObject(items) && prefixItems === undefined ? listKind(builder.read(items), value) : 'json';
  if (kind === 'json') return { ...node, kind, text: textOf({ ...node, kind }) };
  if (kind === 'lines') return { ...node, kind, text: value.join('\n') };
  if (kind === 'checks') return { ...node, kind };
  const children = value.map((item, at) => itemOf(builder, node, item, partOf(node.written, String(at))));
  return { ...node, kind, children };
}

function listKind(item: FieldSchema, value: readonly JsonValue[]): 'lines' | 'checks' | 'list' | 'json' {
  if (item.type === 'any') return 'json';
  if (item.type === 'choice' && item.choices.length <= mostChoices && !item.nullable) {
    const chosen = item.choices.filter((choice) => value.some((one) => sameValue(one, choice.value)));
    return chosen.length === value.length ? 'checks' : 'list';
  }
  if (item.type !== 'string' || item.nullable || isLong(item.keywords, '')) return 'list';
  // Each line is an item, so an item must not be empty or contain a line break.
  return value.every((one) => typeof one === 'string' && /^[^\r\n]+$/.test(one)) ? 'lines' : 'list';
}

/** Makes the field of a list item. */
export function itemOf(
  builder: NodeBuilder,
  { id, schema }: Pick<FormNode, 'id' | 'schema'>,
  value: JsonValue | undefined,
  written: JsonValue | undefined,
): FormNode {
  const place = { id: `${id}/_${builder.next()}`, name: '', isRequired: true, isRow: false, written };
  return builder.build(place, builder.read(schema.keywords['items']), value);
}

// ------------------------------------------------------------------------------------------------ alternatives

/** Selects an alternative and gives it the field's value. If no alternative describes the value, it is shown as JSON. */
export function withBranch(builder: NodeBuilder, node: FormNode, selected: number): FormNode {
  const { id, isRequired, schema, value, written, name } = node;
  const isOpen = value === undefined || (value === null && schema.nullable);
  if (selected < 0 && isOpen) return { ...node, selected, children: [] };
  const place = { id: `${id}/${selected < 0 ? 'json' : selected}`, name, isRequired, isRow: false, written };
  const child = builder.build(place, builder.read(schema.branches[selected]), value);
  return { ...node, selected, children: [child], value: child.value };
}
