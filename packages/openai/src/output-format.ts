import type { JsonObject, OutputFormat } from '@banister/provider';
import { closedSchema } from '@banister/wire';

/** Deepest nesting that every server with a strict mode accepts. */
const DEEPEST = 5;

/** The name and the schema of an answer, as both APIs expect them. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
}

/**
 * Returns the schema of an answer in the form of the API's strict mode, which makes every answer fit. A
 * schema without such a form, for example of a map, is sent for the model to read but is not enforced.
 */
export function namedSchema({ schema }: OutputFormat): NamedSchema {
  const closed = closedSchema(schema, { optional: 'nullable', recursive: true, maxDepth: DEEPEST });
  // The client's type is mutable, but the client does not write to it.
  const sent: JsonObject = closed ?? schema;
  return { name: 'answer', schema: sent as Record<string, unknown>, strict: closed !== null };
}
