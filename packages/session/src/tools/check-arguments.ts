import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as told from '../conversation/model-words.js';
import { quoted } from '../conversation/foreign-text.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { Validate, ValidationIssue } from '../ports/schema-validator.js';
import { isLibrarySchema } from './domain.js';
import type { RegisteredTool, ToolRegistry } from './tool-registry.js';
import type { LibrarySchema } from './tool.js';

/** The faults of arguments, or their value in the form that the executor gets. */
export type CheckedArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly string[] };

/**
 * Checks arguments against the tool's schema, then by the schema library of the tool, where it has one. The library may transform
 * them, and check rules that JSON Schema cannot express.
 */
export async function checkArguments(
  tool: RegisteredTool,
  validate: Validate,
  value: JsonObject,
): Promise<CheckedArguments> {
  const issues = issueTexts(validate(value));
  if (issues.length > 0) return { ok: false, issues };
  const { parameters } = tool.tool;
  return isLibrarySchema(parameters) ? checkByLibrary(parameters, value) : { ok: true, value };
}

/** Checks a value by its schema library, which may transform it. */
export async function checkByLibrary(schema: LibrarySchema, value: JsonObject): Promise<CheckedArguments> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: issueTexts(issuesOf(result.issues)) };
}

/** Returns the issues that the schema library of a value finds; a promise of them where the library answers with one. */
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
  return issues.map(({ path, message }) => (path.length === 0 ? message : `${quoted(path.join('.'))} ${message}`));
}

/** Returns the text for the model about arguments that do not fit: the faults, and the parameters of the tool. */
export function invalidArgumentsText(tool: RegisteredTool, issues: readonly string[]): string {
  return told.invalidArguments(tool.id, issues, parametersOf(tool.schema));
}

/**
 * Returns the text for the model about a tool that does not exist.
 *
 * @param existed whether a call of it ran before
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
