/** Maps tool ids to names that a model API accepts, and back. */
export interface WireNames {
  /** Returns the wire name of a tool id. It also accepts ids that are not in the list, because histories may contain them. */
  toWire(id: string): string;
  /** Returns the tool id of a wire name. A name of no tool is returned unchanged, and the session rejects its call as `unknown-tool`. */
  fromWire(name: string): string;
}

/** The longest name that every supported API accepts. A name consists of letters, digits, `_` and `-`. */
const LONGEST_NAME = 64;

/**
 * Maps `domain.tool` to `domain_tool`. If two ids would share a name, or a name is too long, a short hash of the id is appended.
 * Deterministic, so that the same history gives the same request.
 */
export function createWireNames(ids: readonly string[]): WireNames {
  const wireById = new Map<string, string>();
  const idByWire = new Map<string, string>();
  const add = (id: string): string => {
    let wire = plainName(id);
    if (wire.length > LONGEST_NAME || (idByWire.has(wire) && idByWire.get(wire) !== id)) {
      const hash = hashOf(id);
      wire = `${wire.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`;
    }
    wireById.set(id, wire);
    idByWire.set(wire, id);
    return wire;
  };
  for (const id of ids) add(id);
  return {
    toWire: (id) => wireById.get(id) ?? add(id),
    fromWire: (name) => idByWire.get(name) ?? name,
  };
}

function plainName(id: string): string {
  const name = id.replace(/[^a-zA-Z0-9_-]/g, '_');
  return name === '' ? '_' : name;
}

/** FNV-1a with 32 bits, in base 36. This is enough to distinguish the few tool names of an app. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0');
}
