import { fieldsOf, listOf, type Fields, type Say } from './request-fields.js';
import { nameProblems, strictProblems } from './tool-problems.js';

/** The problems of an answer schema in the APIs of OpenAI. */
export function namedFormatProblems(place: string, format: Fields, say: Say): void {
  const { name, schema, strict } = format;
  nameProblems(`${place}.name`, name, say);
  if (fieldsOf(schema)['type'] !== 'object')
    say(`${place}.schema`, 'the schema of an answer must be one of an object');
  if (strict === true) strictProblems(`${place}.schema`, schema, say);
}

/** JSON Schema keywords that the Messages API enforces or ignores. */
const enforced = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'default',
  'format',
  'minItems',
]);

/** The problems of an answer schema in the Messages API. */
export function outputConfigProblems(config: Fields, say: Say): void {
  const { format } = config;
  if (format === undefined || format === null) return;
  const { type, schema } = fieldsOf(format);
  if (type !== 'json_schema') say('output_config.format.type', `${JSON.stringify(type)} is no format`);
  if (fieldsOf(schema)['type'] !== 'object')
    say('output_config.format.schema', 'the schema of an answer must be one of an object');
  closedProblems('output_config.format.schema', schema, say);
}

function closedProblems(place: string, schema: unknown, say: Say): void {
  const { type, properties, additionalProperties, items, anyOf, $defs, ...rest } = fieldsOf(schema);
  for (const keyword of Object.keys(rest))
    if (!enforced.has(keyword)) say(place, `the keyword "${keyword}" is not supported`);
  if (type === 'object' && additionalProperties !== false)
    say(place, "for 'object' type, 'additionalProperties' must be explicitly set to false");
  for (const [list, schemas] of Object.entries({ properties, $defs }))
    for (const [name, one] of Object.entries(fieldsOf(schemas)))
      closedProblems(`${place}.${list}.${name}`, one, say);
  if (items !== undefined) closedProblems(`${place}.items`, items, say);
  listOf(anyOf).forEach((one, index) => closedProblems(`${place}.anyOf[${index}]`, one, say));
}
