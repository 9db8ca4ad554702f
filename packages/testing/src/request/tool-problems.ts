import { fieldsOf, isText, listOf, type Fields, type Say } from './request-fields.js';

/** Tool names that every API accepts. */
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** A tool that the model may call, in any API. */
export interface OfferedTool {
  readonly place: string;
  readonly name: unknown;
  readonly schema: unknown;
  /** The name of the tool's field that holds the schema. */
  readonly schemaField: string;
  /** Whether the server guarantees that arguments match the schema. The schema must then be strict. */
  readonly strict: boolean;
}

export function nameProblems(place: string, name: unknown, say: Say): void {
  if (typeof name !== 'string' || !namePattern.test(name))
    say(place, `${JSON.stringify(name)} is no name of a tool`);
}

/** Tools must have unique, valid names, and their schemas must be objects. */
export function toolProblems(tools: readonly OfferedTool[], say: Say): void {
  const names = new Set<unknown>();
  for (const { place, name, schema, schemaField, strict } of tools) {
    nameProblems(`${place}.name`, name, say);
    if (names.has(name)) say(`${place}.name`, `there are two tools "${String(name)}"`);
    names.add(name);
    if (fieldsOf(schema)['type'] !== 'object')
      say(`${place}.${schemaField}`, 'a schema of arguments must be one of an object');
    if (strict) strictProblems(`${place}.${schemaField}`, schema, say);
  }
}

/** A tool that the model must use has to be offered. If there is a tool choice, there must be tools. */
export function choiceProblems(
  choice: { readonly name: unknown } | null,
  names: ReadonlySet<unknown>,
  say: Say,
): void {
  if (choice === null) return;
  if (names.size === 0) say('tool_choice', 'there are no tools to choose from');
  else if (choice.name !== undefined && !names.has(choice.name))
    say('tool_choice', `there is no tool "${String(choice.name)}"`);
}

/** In a strict schema every property is required, and no additional properties are allowed. */
export function strictProblems(place: string, schema: unknown, say: Say): void {
  const { type, properties, required, additionalProperties, items, anyOf, $ref } = fieldsOf(schema);
  if (type === undefined && anyOf === undefined && $ref === undefined)
    say(place, "a strict schema must have a 'type' key");
  if (type === 'object') {
    const names = listOf(required);
    for (const [name, property] of Object.entries(fieldsOf(properties) as Fields)) {
      if (!names.includes(name))
        say(
          place,
          `'required' must be an array including every key in properties of a strict schema; missing '${name}'`,
        );
      strictProblems(`${place}.properties.${name}`, property, say);
    }
    if (additionalProperties !== false) say(place, "'additionalProperties' must be false in a strict schema");
  }
  if (items !== undefined) strictProblems(`${place}.items`, items, say);
  listOf(anyOf).forEach((one, index) => strictProblems(`${place}.anyOf[${index}]`, one, say));
}

/** The problems that every API has: the request names no model, or contains a string that is not valid Unicode. */
export function commonProblems(body: Fields, say: Say): void {
  if (!isText(body['model'])) say('model', 'no model is named');
  brokenTextProblems('', body, say);
}

/** A lone surrogate cannot be encoded as UTF-8: servers refuse the whole body as invalid JSON. */
function brokenTextProblems(place: string, value: unknown, say: Say): void {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) say(place, 'the text has half of a surrogate pair');
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => brokenTextProblems(`${place}[${index}]`, item, say));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      brokenTextProblems(place === '' ? key : `${place}.${key}`, item, say);
  }
}
