import type { JsonObject, Provider } from '@banister/provider';
import { checked } from '@banister/provider/internal/errors/checked';
import { wrong, type Read } from '@banister/provider/internal/json/shape';
import { unsupported } from '../session/unsupported.js';
import { isLibrarySchema } from '../tools/domain.js';
import type { LibrarySchema, ToolSchema } from '../tools/tool.js';
import { readSchema } from '../tools/tool-registry.js';

/** The structured output that a caller asks for. */
export interface AskedOutput {
  readonly schema: JsonObject;
  /** The schema as it was passed, if it comes from a library; otherwise null. */
  readonly library: LibrarySchema | null;
}

/** Reads the schema of a structured output. Throws `invalid-configuration` for a schema without an object as its root. */
export function askedOutput(given: ToolSchema, name: string): AskedOutput {
  return { schema: checked(outputSchema, given, name), library: isLibrarySchema(given) ? given : null };
}

const outputSchema: Read<JsonObject> = (given) => {
  const schema = readSchema(given, 'schema');
  return schema.type === 'object'
    ? schema
    : wrong('schema', 'its root is no object: wrap it, as { items: … }');
};

/** Throws `unsupported` if the model has no mode for structured output, and cannot be forced to call a tool either. */
export function checkOutputSupport({ model, capabilities }: Provider): void {
  if (!capabilities?.structuredOutput && !capabilities?.toolChoices?.includes('tool'))
    throw unsupported(model, 'structured output, nor a forced tool');
}
