import { canonicalJson } from '@banister/provider/internal/json/json';
import type { RegisteredTool } from '../tools/tool-registry.js';

const definitions = new WeakMap<RegisteredTool, string>();

/**
 * Returns the definition of a tool to which a grant applies, as canonical JSON. If the description, the parameters or the capabilities
 * change, the definition is a different one. It is the whole text and not a hash, because a collision of a synchronous hash could be
 * constructed.
 */
export function definitionOf(registered: RegisteredTool): string {
  const known = definitions.get(registered);
  if (known !== undefined) return known;
  const { id, tool, schema, capabilities, irreversible } = registered;
  const { description } = tool;
  const text = canonicalJson({
    id,
    description,
    schema,
    capabilities: capabilities.toSorted(),
    irreversible,
  });
  definitions.set(registered, text);
  return text;
}
