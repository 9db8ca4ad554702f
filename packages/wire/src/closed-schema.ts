import { isJsonObject, type JsonObject, type JsonValue } from '@banister/provider';

/** The rules of an API for the schemas that it enforces. */
export interface ClosedSchemaRules {
  /**
   * `nullable`: every property is required, and an optional property may be null. `kept`: optional properties
   * stay optional.
   */
  readonly optional: 'nullable' | 'kept';
  /** Whether a schema may refer to a schema that contains it. */
  readonly recursive: boolean;
  /** Deepest nesting of schemas. Default: no limit. */
  readonly maxDepth?: number;
}

/** Keywords that APIs enforce; they stay as they are. */
const kept = ['title', 'enum', 'const', '$ref'];
/**
 * Keywords that only narrow a value. Most APIs refuse them, so they move to the description, which the model
 * reads. The session checks them.
 */
const narrowing = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];
/** Keywords without a meaning for an answer. */
const notes = ['$schema', '$id', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'];
/** Keywords that are converted. */
const converted = [
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  '$defs',
  'definitions',
];
const known = new Set([...kept, ...narrowing, ...notes, ...converted]);

/** Thrown for a schema that has no closed form. */
class NotClosed extends Error {}

/**
 * Returns a schema in which every object is closed and every keyword is enforced by the API; null if there is
 * no such schema, for example for a map. A value that fits the closed schema fits the given schema too, with
 * two exceptions: keywords that only narrow a value are not enforced, and null may stand for an absent
 * property.
 */
export function closedSchema(schema: JsonObject, rules: ClosedSchemaRules): JsonObject | null {
  try {
    if (schema['type'] !== 'object' || 'anyOf' in schema || 'oneOf' in schema) return null;
    return new Closing(schema, rules).close(schema, 1, []);
  } catch (error) {
    if (error instanceof NotClosed) return null;
    throw error;
  }
}

class Closing {
  constructor(
    private readonly root: JsonObject,
    private readonly rules: ClosedSchemaRules,
  ) {}

  /**
   * @param around the `$ref`s that led to this schema; if one of them occurs again, the schema is circular
   */
  close(schema: JsonValue | undefined, depth: number, around: readonly string[]): JsonObject {
    if (!isJsonObject(schema) || depth > (this.rules.maxDepth ?? Infinity)) throw new NotClosed();
    if (!Object.keys(schema).every((keyword) => known.has(keyword))) throw new NotClosed();
    const inner = (one: JsonValue | undefined) => this.close(one, depth + 1, around);
    const { type = typeOfValues(schema), $ref, $defs, definitions, oneOf, anyOf = oneOf, items } = schema;
    const types = Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
    const description = describedBy(schema);
    if (typeof $ref === 'string') this.follow($ref, around);
    else if (anyOf === undefined && type === undefined && !('enum' in schema) && !('const' in schema))
      throw new NotClosed();
    if (types.includes('array') && items === undefined) throw new NotClosed();
    return {
      ...(type === undefined ? {} : { type }),
      ...Object.fromEntries(kept.flatMap((name) => (name in schema ? [[name, schema[name]!]] : []))),
      ...(description === '' ? {} : { description }),
      ...(types.includes('object') ? this.closeObject(schema, inner) : {}),
      ...(types.includes('array') ? { items: inner(items) } : {}),
      ...(anyOf === undefined ? {} : { anyOf: listOf(anyOf).map(inner) }),
      ...($defs === undefined ? {} : { $defs: mapped($defs, inner) }),
      ...(definitions === undefined ? {} : { definitions: mapped(definitions, inner) }),
    };
  }

  private closeObject(schema: JsonObject, inner: (one: JsonValue) => JsonObject): JsonObject {
    const { properties, required = [], additionalProperties = false } = schema;
    const isMap = isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
    if (!isJsonObject(properties) || isMap) throw new NotClosed();
    const names = Object.keys(properties);
    const needed = listOf(required);
    if (names.length === 0 || !needed.every((name) => names.includes(String(name)))) throw new NotClosed();
    const isNullable = (name: string) => this.rules.optional === 'nullable' && !needed.includes(name);
    return {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => {
          const closed = inner(property);
          return [name, isNullable(name) ? nullable(closed) : closed];
        }),
      ),
      required: this.rules.optional === 'nullable' ? names : needed,
      additionalProperties: false,
    };
  }

  /**
   * Returns the schema that a reference names. Throws if it is in another document, or if it contains the
   * reference and the API does not allow recursion.
   */
  private follow(reference: string, around: readonly string[]): void {
    const [start, list, name = '', ...more] = reference.split('/');
    const isLocal = start === '#' && more.length === 0;
    const lists = isLocal && (list === '$defs' || list === 'definitions') ? this.root[list] : undefined;
    const target = reference === '#' ? this.root : isJsonObject(lists) ? lists[name] : undefined;
    if (target === undefined) throw new NotClosed();
    if (this.rules.recursive) return;
    if (reference === '#' || around.includes(reference)) throw new NotClosed();
    this.close(target, 1, [...around, reference]);
  }
}

/**
 * Returns the type of the values that a schema lists, because APIs require a type beside the list; undefined
 * if there is no list.
 */
function typeOfValues(schema: JsonObject): JsonValue | undefined {
  const { enum: values = 'const' in schema ? [schema['const']!] : [] } = schema;
  const types = [...new Set(listOf(values).map(typeOf))];
  return types.length > 1 ? types : types[0];
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns a closed schema that also accepts null. */
function nullable(schema: JsonObject): JsonObject {
  const { type } = schema;
  const isPlain = typeof type === 'string' && !['object', 'array'].includes(type);
  if (!isPlain || 'enum' in schema || 'const' in schema) return { anyOf: [schema, { type: 'null' }] };
  return type === 'null' ? schema : { ...schema, type: [type, 'null'] };
}

/** Returns the description of a schema, followed by the keywords that the closed schema leaves out. */
function describedBy(schema: JsonObject): string {
  const { description } = schema;
  const rules = narrowing.flatMap((name) =>
    name in schema ? [`${name}: ${JSON.stringify(schema[name])}`] : [],
  );
  const text = typeof description === 'string' ? description : '';
  return [text, rules.length === 0 ? '' : `(${rules.join(', ')})`].filter((one) => one !== '').join(' ');
}

function mapped(schemas: JsonValue, inner: (one: JsonValue) => JsonObject): JsonObject {
  if (!isJsonObject(schemas)) throw new NotClosed();
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inner(schema)]));
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new NotClosed();
  return value as readonly JsonValue[];
}
