import { strictParse, isJsonObject } from '@banister/provider';
import type { JsonObject, JsonValue } from '@banister/session';
import { fitOf } from './branch-of.js';
import { isNative, itemOf, rowOf, withBranch, type NodeBuilder } from './build-node.js';
import type { FormNode } from './form-node.js';
import type { FormWords } from './form-words.js';
import { freshItem, freshValue } from './fresh-value.js';
import { jsonFault } from './json-fault.js';
import { fromNative } from './native-text.js';
import type { FieldSchema } from './read-schema.js';
import { sameValue } from './same-value.js';

/** What a change of a field needs. */
export interface NodeChanges {
  readonly builder: NodeBuilder;
  readonly words: FormWords;
}

/** Returns the tree with one field changed, and with new values around it. If nothing changed, returns the same tree. */
export function changed(
  node: FormNode,
  id: string,
  change: (node: FormNode) => FormNode | readonly FormNode[],
): FormNode {
  if (!id.startsWith(`${node.id}/`)) return node;
  const children = node.children.flatMap((child) =>
    child.id === id ? change(child) : [changed(child, id, change)],
  );
  const isSame =
    children.length === node.children.length && children.every((child, at) => child === node.children[at]);
  return isSame ? node : withChildren(node, children);
}

/** Returns a field with other fields inside, and with the value of these fields. */
export function withChildren(node: FormNode, children: readonly FormNode[]): FormNode {
  switch (node.kind) {
    case 'group':
      return { ...node, children: withNames(children), value: groupValue(node.value, children) };
    case 'list':
      return { ...node, children, value: children.map(({ value }) => value ?? null) };
    default:
      return { ...node, children, value: children[0]?.value };
  }
}

function groupValue(before: JsonValue | undefined, children: readonly FormNode[]): JsonObject {
  const values = new Map(
    withNames(children).flatMap(({ name, value, hasNameProblem, isRow }): [string, JsonValue][] =>
      hasNameProblem ? [] : value !== undefined ? [[name, value]] : isRow ? [[name, null]] : [],
    ),
  );
  // Properties keep their order, so that a view of the value as JSON does not jump.
  const names = isJsonObject(before) ? Object.keys(before).filter((name) => values.has(name)) : [];
  return Object.fromEntries(
    [...new Set([...names, ...values.keys()])].map((name) => [name, values.get(name)!]),
  );
}

/** Marks the rows whose name belongs to another field, or is not allowed. */
function withNames(children: readonly FormNode[]): readonly FormNode[] {
  const names = new Set(['', '__proto__']);
  for (const { isRow, name } of children) if (!isRow) names.add(name);
  return children.map((child) => {
    if (!child.isRow) return child;
    const hasNameProblem = names.has(child.name);
    names.add(child.name);
    return hasNameProblem === child.hasNameProblem ? child : { ...child, hasNameProblem };
  });
}

// ------------------------------------------------------------------------------------------------ one field

/** Returns a field after the user wrote into its control, or chose the option with this key. */
export function withInput(node: FormNode, input: string | boolean, changes: NodeChanges): FormNode {
  const text = String(input);
  switch (node.kind) {
    case 'text':
    case 'textarea':
      return withText(node, text, changes.words);
    case 'number':
      return withNumber(node, text, changes.words);
    case 'checkbox':
      return { ...node, value: input === true };
    case 'segments':
    case 'select':
      return withChoice(node, text);
    case 'lines':
      return {
        ...node,
        text,
        value: text === '' ? emptied(node, []) : text.split('\n').filter((line) => line !== ''),
      };
    case 'json':
      return withJson(node, text, changes.words);
    case 'alternatives':
      return withAlternative(node, text, changes.builder);
    default:
      return node;
  }
}

/** Returns the value of an emptied control. If the model wrote `null` or nothing, and the schema allows it: that. Otherwise `empty`. */
function emptied<T extends JsonValue | undefined>(
  { written, schema, isRequired }: FormNode,
  empty: T,
): T | null | undefined {
  if (written === null && schema.nullable) return null;
  return written === undefined && !isRequired ? undefined : empty;
}

function withText(node: FormNode, text: string, words: FormWords): FormNode {
  const { schema, input, isRequired, written } = node;
  const { minLength } = schema.keywords;
  const isChoice = schema.type === 'choice';
  if (text === '') {
    const takesEmpty = input === 'text' && !isChoice && (isRequired || !(Number(minLength) > 0));
    return { ...node, text, problem: null, zone: null, value: emptied(node, takesEmpty ? '' : undefined) };
  }
  if (isChoice) {
    const choice = schema.choices.find(({ label }) => label === text);
    if (!choice) return { ...node, text, problem: words.notAmongValues };
    return { ...node, text, problem: null, value: choice.value };
  }
  if (!isNative(input)) return { ...node, text, problem: null, value: text };
  const isShort =
    typeof written === 'string' && /^\d\d:\d\d($|[Z+-])/.test(written.slice(-14).replace(/^.*T/, ''));
  const value = fromNative(input, text, node.zone, isShort);
  return value === null ? { ...node, text, problem: words.noDate } : { ...node, text, problem: null, value };
}

function withNumber(node: FormNode, text: string, words: FormWords): FormNode {
  const plain = text.trim();
  if (plain === '') return { ...node, text, problem: null, value: emptied(node, undefined) };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return { ...node, text, problem: words.noNumber };
  const value = Number(plain);
  const isKept =
    Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value) || /e/i.test(plain));
  return isKept ? { ...node, text, problem: null, value } : { ...node, text, problem: words.tooManyDigits };
}

function withChoice(node: FormNode, key: string): FormNode {
  if (key === '') return node.isRequired ? node : { ...node, value: undefined };
  if (key === 'null') return node.schema.nullable ? { ...node, value: null } : node;
  if (key === 'written') return { ...node, value: node.written };
  const choice = node.schema.choices[Number(key)];
  return choice ? { ...node, value: choice.value } : node;
}

function withJson(node: FormNode, text: string, words: FormWords): FormNode {
  if (text.trim() === '' && !node.isRequired)
    return { ...node, text, problem: null, value: emptied(node, undefined) };
  const parsed = strictParse(text);
  if (parsed.ok) return { ...node, text, problem: null, value: parsed.value };
  const isSyntax = parsed.message.startsWith('Not valid JSON');
  return { ...node, text, problem: isSyntax ? words.noJson(jsonFault(text)) : parsed.message };
}

/** Returns a list of choices with one choice added or removed. */
export function withToggled(node: FormNode, key: string, isOn: boolean, { builder }: NodeChanges): FormNode {
  const choice = builder.read(node.schema.keywords['items']).choices[Number(key)];
  if (node.kind !== 'checks' || !choice) return node;
  const rest = itemsOf(node).filter((one) => !sameValue(one, choice.value));
  return { ...node, value: isOn ? [...rest, choice.value] : rest };
}

function itemsOf({ value }: FormNode): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Selects an alternative. If it was selected before, it has its last value; otherwise it takes the parts of the value that fit it. */
function withAlternative(node: FormNode, key: string, builder: NodeBuilder): FormNode {
  const isNone = key === '' || key === 'null';
  const selected = isNone ? -1 : Number(key);
  if (!isNone && (selected === node.selected || node.schema.branches[selected] === undefined)) return node;
  const [child] = node.children;
  const others = new Map(node.others);
  if (child) others.set(node.selected, child);
  if (isNone) return { ...node, selected, others, children: [], value: key === '' ? undefined : null };
  const before = others.get(selected);
  if (before) return { ...node, selected, others, children: [before], value: before.value };
  const branch = builder.read(node.schema.branches[selected]);
  const value = carried(builder, branch, node.value);
  return withBranch(builder, { ...node, others, value }, selected);
}

function carried(
  { read }: NodeBuilder,
  branch: FieldSchema,
  value: JsonValue | undefined,
): JsonValue | undefined {
  const fresh = freshValue(read, branch);
  if (value === undefined) return fresh;
  const { properties } = branch.keywords;
  if (!isJsonObject(value) || !isJsonObject(fresh) || !isJsonObject(properties))
    return branch.type !== 'any' && fitOf(read, branch, value) > 0 ? value : fresh;
  const shared = Object.entries(value).filter(([name, part]) => {
    if (!Object.hasOwn(properties, name)) return false;
    const property = read(properties[name]);
    return property.type !== 'fixed' && fitOf(read, property, part) > 0;
  });
  return { ...fresh, ...Object.fromEntries(shared) };
}

/** Returns a field whose value is left out, `null`, or given. */
export function withPresence(
  node: FormNode,
  presence: 'absent' | 'null' | 'given',
  { builder }: NodeChanges,
): FormNode {
  const { id, name, isRequired, isRow, written, schema } = node;
  const place = { id, name, isRequired, isRow, written };
  if (presence === 'absent') return builder.build(place, schema, undefined);
  if (presence === 'null') return builder.build(place, schema, null);
  return builder.build(place, schema, freshItem(builder.read, schema));
}

// ------------------------------------------------------------------------------------------------ items and rows

/** Returns a list with a new item, or a group with a new row. */
export function withAdded(node: FormNode, { builder }: NodeChanges): FormNode {
  const { kind, schema } = node;
  if (kind === 'list') {
    const item = builder.read(schema.keywords['items']);
    return withChildren(node, [
      ...node.children,
      itemOf(builder, node, freshItem(builder.read, item), undefined),
    ]);
  }
  const { additionalProperties } = schema.keywords;
  if (kind !== 'group' || !isJsonObject(additionalProperties)) return node;
  const value = freshItem(builder.read, builder.read(additionalProperties));
  return withChildren(node, [...node.children, rowOf(builder, node, ['', value], undefined)]);
}

/** Returns a list or a group with a removed item or row at its former place; the same node if it is there, and if the list is left out. */
export function withPutBack(parent: FormNode, removed: FormNode, at: number): FormNode {
  const { kind, value, children: now } = parent;
  const isOpen = (kind === 'list' || kind === 'group') && value !== undefined && value !== null;
  if (!isOpen || now.some(({ id }) => id === removed.id)) return parent;
  const children = [...parent.children];
  children.splice(at, 0, removed);
  return withChildren(parent, children);
}

/** Returns a list with one item moved. */
export function withMoved(list: FormNode, id: string, by: number): FormNode {
  const from = list.children.findIndex((child) => child.id === id);
  const to = from + by;
  if (list.kind !== 'list' || from < 0 || !(to >= 0 && to < list.children.length)) return list;
  const children = [...list.children];
  children.splice(to, 0, ...children.splice(from, 1));
  return withChildren(list, children);
}
