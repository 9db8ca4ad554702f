import type { Capability } from '../tools/tool.js';
import { defineGuard, type Guard, type GuardedCall } from './guard.js';

/**
 * Asks the user before these tools run.
 *
 * @example
 * createAgentSession({ provider, domains, guards: [confirmTools('board.delete_card')] });
 */
export function confirmTools(...ids: readonly string[]): Guard {
  const listed = new Set(ids);
  return defineGuard('confirmTools', (call) =>
    listed.has(call.tool) ? { confirm: reasonFor(call) } : 'allow',
  );
}

/**
 * Asks the user before tools with any of these capabilities run.
 *
 * @example
 * guards: [confirmCapabilities('destructive', 'paid')]
 */
export function confirmCapabilities(...capabilities: readonly Capability[]): Guard {
  return defineGuard('confirmCapabilities', (call) => {
    const found = capabilities.filter((capability) => call.capabilities.includes(capability));
    return found.length === 0 ? 'allow' : { confirm: reasonFor(call, found) };
  });
}

/** Refuses these tools. The model reads that they are not allowed, and goes on. */
export function denyTools(...ids: readonly string[]): Guard {
  const listed = new Set(ids);
  return defineGuard('denyTools', (call) =>
    listed.has(call.tool) ? { deny: `${call.tool} is not allowed here.` } : 'allow',
  );
}

function reasonFor(call: GuardedCall, capabilities: readonly Capability[] = []): string {
  const kind = capabilities.length === 0 ? '' : ` (${capabilities.join(', ')})`;
  const lasting = call.irreversible ? ' It cannot be undone.' : '';
  return `The agent wants to run ${call.tool}${kind}.${lasting}`;
}
