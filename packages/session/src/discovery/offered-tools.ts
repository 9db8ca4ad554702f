import type { Message, ToolDefinition } from '@banister/provider';
import { toolCallsOf } from '@banister/provider/internal/messages/message';
import { domainOf } from '../conversation/tool-id.js';

/** The tools from which the tools of a request are chosen. */
interface Choosable {
  /** The ids of all domains. */
  readonly domains: readonly string[];
  /** The definitions of all tools. */
  readonly all: readonly ToolDefinition[];
  /** The tools that each request must have. */
  readonly always: readonly ToolDefinition[];
  /** The tool that the model has to call; null if it need not call any. */
  readonly required: string | null;
  /** Ids of the tools that the model has called, last called first. */
  readonly called: readonly string[];
  /** Ids of the activated domains, newest first. */
  readonly activated: readonly string[];
  /** The highest number of tools. */
  readonly cap: number;
}

/** The tools of a request. */
export interface Offer {
  readonly definitions: readonly ToolDefinition[];
  /** Ids of the domains all of whose tools are in the request, newest first. */
  readonly active: readonly string[];
}

/** Returns true if a tool belongs to the session and not to the app. */
export function isOwn(tool: string): boolean {
  return tool.startsWith('banister.');
}

/**
 * Chooses the tools of a request, never more than the cap. First come the tools that each request must have, and the tool that the model
 * has to call. Then come the activated domains, each as a whole, newest first. Then come tools that were called before. In the result the
 * tools are in the order of the domains.
 */
export function offeredTools(given: Choosable): Offer {
  const { domains, all, always, required, called, activated, cap } = given;
  const apps = all.filter(({ name }) => !isOwn(name));
  const names = new Set(apps.map(({ name }) => name));
  const taken = new Set<string>();
  const room = () => cap - always.length - taken.size;
  const takeOne = (name: string) => {
    if (names.has(name) && room() > 0) taken.add(name);
  };
  if (required !== null) takeOne(required);
  const active = activated.filter((id) => {
    const missing = apps.filter(({ name }) => domainOf(name) === id && !taken.has(name));
    if (!domains.includes(id) || missing.length > room()) return false;
    for (const { name } of missing) taken.add(name);
    return true;
  });
  called.forEach(takeOne);
  return {
    definitions: Object.freeze([...always, ...apps.filter(({ name }) => taken.has(name))]),
    active,
  };
}

/**
 * Returns the ids of the tools of which the messages have a result, last called first, without duplicates. A rejected call does not count,
 * because it did not reach its tool.
 */
export function calledTools(messages: readonly Message[]): readonly string[] {
  const ran = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-result' && part.outcome !== 'rejected' ? [part.callId] : [],
      ),
    ),
  );
  const calls = messages.flatMap(toolCallsOf).filter(({ id, hosted }) => !hosted && ran.has(id));
  return [...new Set(calls.map(({ tool }) => tool).reverse())];
}
