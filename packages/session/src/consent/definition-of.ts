import { canonicalJson } from '../json/json.js';
import type { RegisteredTool } from '../tools/tool-registry.js';

const definitions = new WeakMap<RegisteredTool, string>();

/**
 * Returns the definition of a tool for which a grant stands, as canonical JSON: a tool that is described in another way, takes other arguments or
 * can do more is another one. The text itself, since a hash that is made at once can be met on purpose.
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
