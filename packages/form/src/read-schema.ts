import type { JsonObject, JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { flattener } from './flatten-schema.js';
import { sameValue } from './same-value.js';

/** A value of a choice. */
export interface Choice {
  readonly value: JsonValue;
  readonly label: string;
}

/** A schema, prepared for making fields. */
export interface FieldSchema {
  readonly type:
    'object' | 'array' | 'string' | 'number' | 'boolean' | 'fixed' | 'choice' | 'alternatives' | 'any';
  /** The schema, merged with the targets of `$ref` and the parts of `allOf`. */
  readonly keywords: JsonObject;
  /** Whether `null` is allowed in addition to values of the type. */
  readonly nullable: boolean;
  /** The values of a choice, or the fixed value. */
  readonly choices: readonly Choice[];
  /** The schemas of alternatives. */
  readonly branches: readonly JsonObject[];
}

/** Reads schemas. Each form has its own reader. */
export type ReadSchema = (schema: JsonValue | undefined) => FieldSchema;

/** A union with more alternatives than this is edited as JSON. */
const mostBranches = 100;

const anything: FieldSchema = { type: 'any', keywords: {}, nullable: false, choices: [], branches: [] };

/** Returns a function that reads the schemas inside a schema, each of them once. */
export function schemaReader(root: JsonObject): ReadSchema {
  const flatten = flattener(root);
  const known = new WeakMap<JsonObject, FieldSchema>();
  return (schema) => {
    if (!isJsonObject(schema)) return anything;
    const read = known.get(schema) ?? readFlat(flatten(schema), flatten);
    known.set(schema, read);
    return read;
  };
}

type Flatten = ReturnType<typeof flattener>;

function readFlat(keywords: JsonObject, flatten: Flatten): FieldSchema {
  const { anyOf, oneOf, ...base } = keywords;
  const union = oneOf ?? anyOf;
  if (Array.isArray(union)) {
    const branches = union.filter(isJsonObject).map((branch) => flatten(branch));
    const others = branches.filter((branch) => !isNull(branch));
    // Conditions such as `anyOf: [{ required: ['id'] }, …]` are not alternatives; the check handles them.
    if (others.length > 0 && union.length === branches.length && others.every(describes))
      return readUnion(base, others, { nullable: others.length < branches.length, flatten });
  }
  return readTyped(base, flatten);
}

function readUnion(
  base: JsonObject,
  branches: readonly JsonObject[],
  { nullable, flatten }: { nullable: boolean; flatten: Flatten },
): FieldSchema {
  if (branches.length === 1) {
    const read = readFlat(flatten({ allOf: [base, branches[0]!] }), flatten);
    return { ...read, nullable: read.nullable || nullable };
  }
  if (branches.every((branch) => 'const' in branch || Array.isArray(branch['enum']))) {
    const choices = branches.flatMap(choicesOf);
    return { ...anything, type: 'choice', keywords: base, nullable, choices };
  }
  const { title: _title, description: _description, default: _default, ...shared } = base;
  const whole = branches.map((branch) => flatten({ allOf: [branch, shared] }));
  return alternatives(base, whole, nullable);
}

function alternatives(keywords: JsonObject, branches: readonly JsonObject[], nullable: boolean): FieldSchema {
  const type = branches.length > mostBranches ? 'any' : 'alternatives';
  return { ...anything, type, keywords, nullable, branches };
}

function readTyped(keywords: JsonObject, flatten: Flatten): FieldSchema {
  if ('const' in keywords || Array.isArray(keywords['enum'])) {
    const all = choicesOf(keywords);
    const choices = all.filter(({ value }) => value !== null);
    if (choices.length === 0) return { ...anything, type: 'fixed', keywords, choices: all };
    const nullable = choices.length < all.length;
    return { ...anything, type: choices.length === 1 ? 'fixed' : 'choice', keywords, nullable, choices };
  }
  const types = typesOf(keywords);
  const nullable = types.includes('null');
  const others = types.filter((type) => type !== 'null');
  if (types.length > 0 && others.length === 0)
    return { ...anything, type: 'fixed', keywords, choices: [{ value: null, label: 'null' }] };
  if (others.length > 1) {
    const { title: _title, description: _description, default: _default, ...shared } = keywords;
    const branches = others.map((type) => flatten({ ...shared, type }));
    return alternatives(keywords, branches, nullable);
  }
  return { ...anything, type: singleType(others[0]), keywords, nullable };
}

function singleType(type: string | undefined): FieldSchema['type'] {
  switch (type) {
    case 'integer':
      return 'number';
    case 'object':
    case 'array':
    case 'string':
    case 'number':
    case 'boolean':
      return type;
    default:
      return 'any';
  }
}

/** Returns the types that a schema names. If it names none, returns the type that its keywords imply. */
function typesOf(keywords: JsonObject): readonly string[] {
  const { type } = keywords;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) {
    const types = type.filter((one): one is string => typeof one === 'string');
    return types.filter((one) => one !== 'integer' || !types.includes('number'));
  }
  if (isJsonObject(keywords['properties'])) return ['object'];
  return isJsonObject(keywords['items']) ? ['array'] : [];
}

function choicesOf(keywords: JsonObject): readonly Choice[] {
  const { title, enum: values } = keywords;
  const given = 'const' in keywords ? [keywords['const']!] : (values as readonly JsonValue[]);
  const unique =
    given.length > 1000
      ? given
      : given.filter((one, at) => given.findIndex((other) => sameValue(one, other)) === at);
  return unique.map((value) => ({
    value,
    label: 'const' in keywords && typeof title === 'string' ? title : plainText(value),
  }));
}

/** Returns a string unchanged, any other value as JSON. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isNull(schema: JsonObject): boolean {
  return schema['type'] === 'null' || schema['const'] === null;
}

function describes(schema: JsonObject): boolean {
  return ['type', 'properties', 'items', 'const', 'enum', 'anyOf', 'oneOf'].some(
    (keyword) => keyword in schema,
  );
}
