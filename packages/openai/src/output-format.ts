import type { JsonObject, OutputFormat } from '@banister/provider';
import { closedSchema } from '@banister/wire';

/** Deepest nesting that every server with a strict mode accepts. */
const DEEPEST = 5;

/** The form of an answer, as both APIs have it. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
}

/**
 * Returns the schema of an answer for the API: in the form of its strict mode, with which it refuses all other answers. A schema without
 * such a form, for example of a map, is not enforced, and the model reads it alone.
 */
export function namedSchema({ schema }: OutputFormat): NamedSchema {
  const closed = closedSchema(schema, { optional: 'nullable', recursive: true, maxDepth: DEEPEST });
  // The client's type is mutable, but the client does not write to it.
  const sent: JsonObject = closed ?? schema;
  return { name: 'answer', schema: sent as Record<string, unknown>, strict: closed !== null };
}
