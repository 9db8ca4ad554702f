import type { Ports } from '../ports/ports.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import type { ReadyCall } from './batch-call.js';

/** The calls that may run beside a call. */
export interface Company {
  /** Whether the call changes nothing: it runs beside every other one that does not either. */
  readonly reads: boolean;
  /** Whether the tool declares its calls independent of all others. */
  readonly parallel: boolean;
  /** The resources of the call, each with its domain; null where it declares none. */
  readonly resources: ReadonlySet<string> | null;
}

/** Reads the company of a call from its tool. An error of `resources` is reported, and the call runs alone. */
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

/** Returns whether two calls may run side by side. */
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
 * Each effect moves the revision of its domain, by which the next call notices an edit of the user: changes there stay in order, but for those
 * whose code keeps the user's edits by itself.
 */
function resourcesOf(registered: RegisteredTool, value: unknown): Company['resources'] {
  const { domain, readOnly, tool } = registered;
  const isFree = domain.revision === undefined || readOnly || tool.undo?.keepsEdits;
  const names = isFree ? namesOf(registered, value) : null;
  return names && new Set(names.map((name) => `${domain.id} ${name}`));
}

/** Returns the names of what a call reads or changes, unique in its domain; null where the tool names nothing. Throws for no list of texts. */
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
