import type { Ports } from '../ports/ports.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import type { ReadyCall } from './batch-call.js';

/** Decides which other calls may run at the same time as a call. */
export interface Company {
  /** Whether the call changes nothing. Such calls may all run at the same time. */
  readonly reads: boolean;
  /** Whether the tool declares its calls independent of all other calls. */
  readonly parallel: boolean;
  /** The resources of the call, each with its domain; null if the call declares none. */
  readonly resources: ReadonlySet<string> | null;
}

/** Reads the company of a call from its tool. If `resources` throws, the error is reported, and the call runs alone. */
export function companyOf(
  { tool, value }: Pick<ReadyCall, 'tool' | 'value'>,
  { reportError }: Pick<Ports, 'reportError'>,
): Company {
  const { readOnly: reads } = tool;
  const parallel = tool.tool.parallel === true;
  try {
    return { reads, parallel, resources: parallel ? null : resourcesOf(tool, value) };
  } catch (error) {
    reportError(error);
    return { reads, parallel, resources: null };
  }
}

/** Returns true if two calls may run at the same time. */
export function mayRunTogether(a: Company, b: Company): boolean {
  if (a.reads && b.reads) return true;
  if (runsAlone(a) || runsAlone(b)) return false;
  if (a.parallel || b.parallel) return true;
  return a.resources !== null && b.resources !== null && isDisjoint(a.resources, b.resources);
}

function runsAlone({ reads, parallel, resources }: Company): boolean {
  return !reads && !parallel && resources === null;
}

/**
 * Each effect changes the revision of its domain, and through the revision the next call notices an edit of the user. So calls that change
 * a domain with a revision run in order, unless their undo code keeps the user's edits.
 */
function resourcesOf(registered: RegisteredTool, value: unknown): Company['resources'] {
  const { domain, readOnly, tool } = registered;
  const isFree = domain.revision === undefined || readOnly || tool.undo?.keepsEdits;
  const names = isFree ? namesOf(registered, value) : null;
  return names && new Set(names.map((name) => `${domain.id} ${name}`));
}

/**
 * Returns the names of what a call reads or changes, unique in its domain; null if the tool names nothing. Throws if `resources` does not
 * return a list of strings.
 */
export function namesOf({ id, tool }: RegisteredTool, value: unknown): readonly string[] | null {
  if (tool.resources === undefined) return null;
  const names: unknown = tool.resources(value);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new Error(`${id} returned resources that are no list of texts.`);
  return names.length === 0 ? null : names;
}

function isDisjoint(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return ![...a].some((name) => b.has(name));
}
