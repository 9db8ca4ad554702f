import type { JsonObject, JsonValue } from '@banister/provider';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { wellFormed } from '@banister/provider/internal/json/well-formed';
import { FIRST_WORD, LAST_WORD, quoted } from '@banister/provider/internal/messages/foreign-text';
import type { Validate, ValidationIssue } from '@banister/schema';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as told from '../conversation/model-words.js';
import { isLibrarySchema } from './domain.js';
import type { RegisteredTool, ToolRegistry } from './tool-registry.js';
import type { LibrarySchema } from './tool.js';

/** The faults of arguments, or their value in the form for the executor. */
type CheckedArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly string[] };

/**
 * Checks arguments with the tool's schema, then with the schema library of the tool, if it has one. The library may transform them, and
 * check rules that JSON Schema cannot express. The executor receives them without the nulls that {@link withoutWrongNulls} removes.
 */
export async function checkArguments(
  tool: RegisteredTool,
  validate: Validate,
  value: JsonObject,
): Promise<CheckedArguments> {
  const { issues, json } = withoutWrongNulls(validate, value);
  if (issues.length > 0) return { ok: false, issues: issueTexts(issues) };
  const { parameters } = tool.tool;
  return isLibrarySchema(parameters) ? checkByLibrary(parameters, json) : { ok: true, value: json };
}

/** Arguments and their faults. */
interface ReadArguments {
  readonly json: JsonObject;
  readonly issues: readonly ValidationIssue[];
}

/**
 * Removes properties that are null although the schema permits no null there, if the arguments fit afterwards. Models write null for a
 * parameter that they leave out. A null stays if the schema permits it, or if a required property would be missing without it.
 */
export function withoutWrongNulls(validate: Validate, value: JsonObject): ReadArguments {
  const asGiven: ReadArguments = { json: value, issues: validate(value) };
  let { json, issues } = asGiven;
  while (issues.length > 0) {
    const fewer = issues.reduce<JsonValue>((one, { path }) => withoutNull(one, path), json) as JsonObject;
    if (fewer === json) return asGiven;
    json = fewer;
    issues = validate(json);
  }
  return { json, issues };
}

/** Returns a value without the property at a path, if it is null; otherwise the same value. */
function withoutNull(value: JsonValue, [key, ...rest]: readonly string[]): JsonValue {
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
    return value;
  const entries = value as Readonly<Record<string, JsonValue>>;
  const isList = Array.isArray(value);
  if (rest.length === 0 && !isList && entries[key] === null) {
    const { [key]: _absent, ...others } = entries;
    return deepFreeze(others);
  }
  const inner = withoutNull(entries[key]!, rest);
  if (inner === entries[key]) return value;
  return deepFreeze(isList ? value.with(Number(key), inner) : { ...entries, [key]: inner });
}

/** Checks a value with its schema library, which may transform it. */
export async function checkByLibrary(schema: LibrarySchema, value: JsonObject): Promise<CheckedArguments> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: issueTexts(issuesOf(result.issues)) };
}

/** Returns the issues that the schema library of a value finds; a promise if the library answers with a promise. */
export function libraryIssues(
  schema: LibrarySchema,
  value: JsonObject,
): readonly ValidationIssue[] | Promise<readonly ValidationIssue[]> {
  const result = schema['~standard'].validate(value);
  return result instanceof Promise ? result.then(({ issues }) => issuesOf(issues)) : issuesOf(result.issues);
}

function issuesOf(issues: readonly StandardSchemaV1.Issue[] = []): readonly ValidationIssue[] {
  return issues.map(({ path = [], message }) => ({
    path: path.map((key) => String(typeof key === 'object' ? key.key : key)),
    message,
  }));
}

/** Returns issues as sentences without a full stop: `"title" is required`. */
export function issueTexts(issues: readonly ValidationIssue[]): readonly string[] {
  return issues.map(({ path, message }) =>
    path.length === 0 ? message : `${quoted(path.join('.'))} ${message}`,
  );
}

/** Returns the text for the model about arguments that do not fit: the faults, and the parameters of the tool. */
export function invalidArgumentsText(tool: RegisteredTool, issues: readonly string[]): string {
  return told.invalidArguments(tool.id, issues, parametersOf(tool.schema));
}

/**
 * Returns the text for the model about arguments that are not a JSON object, with the text around the fault. The model needs this text
 * because its history has no arguments for the call: APIs refuse a call whose arguments are not JSON.
 */
export function unreadableArgumentsText(tool: RegisteredTool, text: string, message: string): string {
  const at = /position (\d+)/.exec(message)?.[1] ?? (/\bend\b/i.test(message) ? text.length : 0);
  return `${invalidArgumentsText(tool, [message.replace(/\.$/, '')])} ${told.faultyText(around(text, Number(at)))}`;
}

/** The maximal number of characters of faulty arguments that the model reads. */
const MOST_FAULTY = 500;

/**
 * Returns the text around a position. A word at its edge is kept as a whole or left out, because a filter of requests would not recognise
 * half of a word.
 */
function around(text: string, at: number): string {
  if (text.length <= MOST_FAULTY) return text;
  const start = Math.max(0, Math.min(at - MOST_FAULTY / 2, text.length - MOST_FAULTY));
  const end = start + MOST_FAULTY;
  const piece = text.slice(start, end);
  const whole = start === 0 ? piece : piece.replace(FIRST_WORD, '…');
  return wellFormed(end >= text.length ? whole : whole.replace(LAST_WORD, '…'));
}

/**
 * Returns the text for the model about a tool that does not exist.
 *
 * @param existed whether a call of the tool has run before
 */
export function unknownToolText(name: string, registry: ToolRegistry, existed: boolean): string {
  const names = registry.definitions.map((definition) => definition.name);
  return told.unknownTool(name.length > 200 ? '…' : name, existed || registry.kept.has(name), names);
}

function parametersOf(schema: JsonObject): readonly string[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? (schema.required as readonly JsonValue[]) : []);
  return Object.entries(properties).map(
    ([name, property]) => `${name} (${typeText(property)}${required.has(name) ? ', required' : ''})`,
  );
}

function typeText(property: JsonValue | undefined): string {
  if (!isJsonObject(property)) return 'any';
  if (Array.isArray(property.enum)) {
    return (property.enum as readonly JsonValue[]).map((value) => JSON.stringify(value)).join(' | ');
  }
  if (Array.isArray(property.type)) return property.type.join(' | ');
  return typeof property.type === 'string' ? property.type : 'any';
}
