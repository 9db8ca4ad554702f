import type { JsonObject, JsonValue } from '@banister/provider';
import { isObject } from './is-object.js';
import { isData } from './map-schemas.js';
import { SchemaReferences } from './schema-references.js';

/**
 * The maximal number of steps in a check of one value. A step is one schema applied to one inner value. The steps suffice for a list of
 * 50,000 objects with three fields.
 */
export const maxCheckSteps = 500_000;

/**
 * The maximal number of schemas inside one schema. It limits the time to compile the schema. The largest published tools have about a
 * thousand.
 */
const maxSchemas = 5_000;

/** How many names or entries, and how many characters, a validator handles in the time of one step. */
const [entriesOfStep, charsOfStep] = [16, 128];

/** Thrown when the check of a value would take too many steps. */
export class TooMuchWork extends Error {}

/** Keywords whose schemas apply to the value itself. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
/** Keywords whose schemas apply to the value itself if it has a property. */
const dependent = ['dependentSchemas', 'dependencies'];
/** Keywords whose schemas apply to the items of a list. */
const ofItems = ['items', 'additionalItems', 'contains', 'unevaluatedItems'];

/** Which schemas a schema applies to a value. */
interface Plan {
  readonly width: number;
  /** The plans that apply to the value itself. */
  readonly same: Plan[];
  readonly dependent: readonly (readonly [string, Plan])[];
  readonly items: readonly Plan[];
  readonly tuples: readonly (readonly Plan[])[];
  readonly properties: ReadonlyMap<string, Plan>;
  readonly patterns: readonly (readonly [string, Plan])[];
  readonly names: Plan | undefined;
  /** The plan that applies to all other properties. */
  readonly others: Plan | undefined;
}

/**
 * Returns a function that counts the steps a validator would take to check a value, and throws {@link TooMuchWork} if they exceed
 * `maxCheckSteps`. It counts before the check, because neither validator can be stopped. References that double at each level of a schema,
 * alternatives inside alternatives, and large values can cause endless steps from a short text. All alternatives count, because the
 * validators try all of them.
 *
 * @param matches tests a name against a key of `patternProperties`
 * @throws Error for a schema with too many inner schemas
 */
export function checkWork(
  root: JsonObject,
  matches: (pattern: string, name: string) => boolean,
): (value: JsonValue) => void {
  const plan = planOf(root);
  let steps = 0;

  const visit = (part: Plan, value: JsonValue): void => {
    steps += 1 + part.width + breadth(value);
    if (steps > maxCheckSteps) throw new TooMuchWork();
    for (const one of part.same) visit(one, value);
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) visitItems(part, value as readonly JsonValue[]);
    else visitProperties(part, value as JsonObject);
  };

  const visitItems = ({ items, tuples }: Plan, list: readonly JsonValue[]): void => {
    for (const one of items) for (const item of list) visit(one, item);
    for (const tuple of tuples)
      for (let at = 0; at < tuple.length && at < list.length; at++) visit(tuple[at]!, list[at]!);
  };

  const visitProperties = (part: Plan, value: JsonObject): void => {
    const { dependent, properties, patterns, names, others } = part;
    for (const [name, one] of dependent) if (Object.hasOwn(value, name)) visit(one, value);
    if (patterns.length === 0 && !names && !others) {
      for (const [name, one] of properties) if (Object.hasOwn(value, name)) visit(one, value[name]!);
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (names) visit(names, name);
      const own = properties.get(name);
      const matching = patterns.filter(([pattern]) => matches(pattern, name));
      if (own) visit(own, inner);
      for (const [, one] of matching) visit(one, inner);
      if (others && !own && matching.length === 0) visit(others, inner);
    }
  };

  return (value) => {
    steps = 0;
    visit(plan, value);
  };
}

function planOf(root: JsonObject): Plan {
  const references = new SchemaReferences(root);
  if (references.size > maxSchemas) throw new Error(`it has more than ${maxSchemas} schemas inside`);
  const known = new Map<JsonObject, Plan>();

  const read = (schema: JsonValue): Plan => {
    if (!isObject(schema)) return leaf;
    const before = known.get(schema);
    if (before) return before;
    const same: Plan[] = [];
    const made = { ...leaf, width: widthOf(schema), same };
    // Stored before its inner schemas are read, because they may refer to it.
    known.set(schema, made);
    same.push(...references.of(schema).map(read), ...inPlace.flatMap((keyword) => each(schema[keyword])));
    return Object.assign(made, {
      dependent: dependent.flatMap((keyword) => entries(schema[keyword])),
      items: ofItems.flatMap((keyword) => (Array.isArray(schema[keyword]) ? [] : each(schema[keyword]))),
      tuples: [schema.prefixItems, schema.items].filter(Array.isArray).map(each),
      properties: new Map(entries(schema.properties)),
      patterns: entries(schema.patternProperties),
      names: each(schema.propertyNames)[0],
      others: each(schema.additionalProperties ?? schema.unevaluatedProperties)[0],
    });
  };
  const each = (schemas: JsonValue | undefined): readonly Plan[] =>
    Array.isArray(schemas) ? schemas.map(read) : schemas === undefined ? [] : [read(schemas)];
  const entries = (map: JsonValue | undefined): readonly (readonly [string, Plan])[] =>
    isObject(map) ? Object.entries(map).map(([name, one]) => [name, read(one)] as const) : [];

  return read(root);
}

/** The plan of the schemas `true` and `false`. */
const leaf: Plan = {
  width: 0,
  same: [],
  dependent: [],
  items: [],
  tuples: [],
  properties: new Map(),
  patterns: [],
  names: undefined,
  others: undefined,
};

/** Returns the steps that a validator takes for the names, items or characters of a value. */
function breadth(value: JsonValue): number {
  if (typeof value === 'string') return value.length / charsOfStep;
  if (typeof value !== 'object' || value === null) return 0;
  return (Array.isArray(value) ? value.length : Object.keys(value).length) / entriesOfStep;
}

/** Returns the steps that a validator takes for the lists, maps and data of a schema. */
function widthOf(schema: JsonObject): number {
  return Object.entries(schema).reduce((sum, [keyword, value]) => {
    if (isData(keyword)) return sum + sizeOf(value) / entriesOfStep;
    return sum + breadth(value) * (costly[keyword] ?? 1);
  }, 0);
}

/**
 * Keywords that take longer: the interpreter searches each object for each name in `properties`, and each missing name creates an issue.
 */
const costly: Readonly<Record<string, number>> = { properties: 4, required: 8 };

function sizeOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner: JsonValue) => sum + sizeOf(inner), 1);
}
