import type { JsonObject, JsonValue } from '@banister/provider';
import type { ValidationIssue } from './schema-validator.js';
import { isObject } from './is-object.js';

/** A keyword of a schema that a value violates, in the form that both validators can produce. */
interface BrokenKeyword {
  readonly keyword: string;
  /** The keyword's value in the schema. */
  readonly expected: unknown;
  /** The keys that lead to the value. */
  readonly path: readonly string[];
  /** The value there. */
  readonly actual: JsonValue | undefined;
}

/** Keywords whose issues only repeat the issues of an inner schema. */
const containers: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  '$dynamicRef',
  'dependentSchemas',
  'if',
  'then',
  'else',
  'propertyNames',
]);

const bounds: Readonly<Record<string, (expected: string) => string>> = {
  minLength: (n) => `must have at least ${counted(n, 'character')}`,
  maxLength: (n) => `must have at most ${counted(n, 'character')}`,
  minItems: (n) => `must have at least ${counted(n, 'item')}`,
  maxItems: (n) => `must have at most ${counted(n, 'item')}`,
  minProperties: (n) => `must have at least ${counted(n, 'property', 'properties')}`,
  maxProperties: (n) => `must have at most ${counted(n, 'property', 'properties')}`,
  minimum: (n) => `must be at least ${n}`,
  maximum: (n) => `must be at most ${n}`,
  exclusiveMinimum: (n) => `must be more than ${n}`,
  exclusiveMaximum: (n) => `must be less than ${n}`,
  multipleOf: (n) => `must be a multiple of ${n}`,
  pattern: (pattern) => `must match ${pattern}`,
  const: (value) => `must be ${value}`,
};

/** The maximal number of `enum` values that a message lists. */
const maxOptions = 200;

function counted(n: string, one: string, many = `${one}s`): string {
  return `${n} ${n === '1' ? one : many}`;
}

/** Returns the issues for a violated keyword, as sentences for the author of the value. Both validators use it. */
export function describeIssue({
  keyword,
  expected,
  path,
  actual,
}: BrokenKeyword): readonly ValidationIssue[] {
  if (containers.has(keyword)) return [];
  if (keyword === 'required' && Array.isArray(expected) && isObject(actual)) {
    return (expected as readonly string[])
      .filter((name) => !Object.hasOwn(actual, name))
      .map((name) => ({ path: [...path, name], message: 'is required' }));
  }
  if (keyword === 'dependentRequired' && isObject(actual))
    return dependentIssues(expected as JsonObject, path, actual);
  return [{ path, message: messageOf(keyword, expected) }];
}

/** Returns an issue for each property that is missing although another property requires it. */
function dependentIssues(
  expected: JsonObject,
  path: readonly string[],
  actual: JsonObject,
): readonly ValidationIssue[] {
  return Object.entries(expected).flatMap(([name, others]) =>
    (Object.hasOwn(actual, name) && Array.isArray(others) ? (others as readonly string[]) : [])
      .filter((other) => !Object.hasOwn(actual, other))
      .map((other) => ({ path: [...path, other], message: `is required with ${name}` })),
  );
}

function messageOf(keyword: string, expected: unknown): string {
  const bound = Object.hasOwn(bounds, keyword) ? bounds[keyword] : undefined;
  if (bound) return bound(typeof expected === 'string' ? expected : JSON.stringify(expected));
  switch (keyword) {
    case 'type':
      return `must be of type ${Array.isArray(expected) ? expected.join(' or ') : String(expected)}`;
    case 'enum':
      return `must be one of ${optionsOf(expected as readonly unknown[])}`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known parameter';
    case 'uniqueItems':
      return 'must not hold the same item twice';
    case 'anyOf':
    case 'oneOf':
      return unionMessage(keyword, expected);
    default:
      return `does not meet "${keyword}"`;
  }
}

/** Returns the allowed values. If there are too many to read, the rest is left out. */
function optionsOf(values: readonly unknown[]): string {
  const shown = values.slice(0, maxOptions).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > maxOptions ? ['…'] : [])].join(', ');
}

/** Returns the message for alternatives. Alternatives that differ only in their `required` are named by it. */
function unionMessage(keyword: 'anyOf' | 'oneOf', expected: unknown): string {
  const branches = Array.isArray(expected) ? (expected as readonly JsonValue[]) : [];
  const groups = branches.map((branch) =>
    isObject(branch) && Object.keys(branch).join() === 'required' && Array.isArray(branch['required'])
      ? branch['required'].join(' and ')
      : '',
  );
  if (groups.length === 0 || groups.includes('')) return 'must match one of the allowed forms';
  return `must have ${keyword === 'oneOf' ? 'exactly one of ' : ''}${groups.join(' or ')}`;
}

/** The maximal number of issues in a result. More would fill the request in which the model reads them. */
export const maxIssues = 100;

/**
 * The maximal number of a validator's errors that are read. With references that double at each level, all errors may be the same issue.
 */
const maxErrors = 2_000;

/** Returns the first issues in order, without repetitions. Validators report a missing property once for each schema that requires it. */
export function firstIssues<T>(
  errors: readonly T[],
  issuesOf: (error: T) => readonly ValidationIssue[],
): readonly ValidationIssue[] {
  const found = new Map<string, ValidationIssue>();
  for (const error of errors.slice(0, maxErrors))
    for (const issue of issuesOf(error)) {
      if (found.size === maxIssues) return [...found.values()];
      const { path, message } = issue;
      found.set(JSON.stringify([path, message]), issue);
    }
  return [...found.values()];
}

/** Returns the keys of a JSON pointer. A pointer that begins with `#` is a URI fragment, and its keys are percent-encoded. */
export function pointerPath(pointer: string): readonly string[] {
  const fragment = pointer.startsWith('#');
  return pointer
    .slice(fragment ? 1 : 0)
    .split('/')
    .slice(1)
    .map((key) => (fragment ? unescaped(key) : key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
