import { checked } from '@banister/provider/internal/errors/checked';
import { named } from '../conversation/tool-id.js';
import { capabilitiesShape } from '../tools/domain.js';
import type { Capability } from '../tools/tool.js';
import { defineGuard, type Guard, type GuardedCall, type Verdict } from './guard.js';

/**
 * Returns a guard that asks the user before these tools run.
 *
 * @param ids `domain.tool`; `createAgentSession` throws `invalid-configuration` for an unknown id
 *
 * @example
 * createAgentSession({ provider, domains, guards: [confirmTools('board.delete_card')] });
 */
export function confirmTools(...ids: readonly string[]): Guard {
  return guardTools('confirmTools', ids, (call) => ({
    confirm: reasonFor(call),
    because: { code: 'tool' },
  }));
}

/**
 * Returns a guard that asks the user before tools with any of these capabilities run. Throws `invalid-configuration` for an unknown
 * capability.
 *
 * @example
 * guards: [confirmCapabilities('destructive', 'paid')]
 */
export function confirmCapabilities(...capabilities: readonly Capability[]): Guard {
  return guardCapabilities('confirmCapabilities', capabilities, (call, found) => ({
    confirm: reasonFor(call, found),
    because: { code: 'capabilities', capabilities: found },
  }));
}

/**
 * Returns a guard that denies the calls of these tools. The model reads that they are not allowed, and the turn continues.
 *
 * @param ids `domain.tool`; `createAgentSession` throws `invalid-configuration` for an unknown id
 * @example
 * createAgentSession({ provider, domains, guards: [denyTools('board.delete_board')] });
 */
export function denyTools(...ids: readonly string[]): Guard {
  return guardTools('denyTools', ids, (call) => ({ deny: `${call.tool} is not allowed here.` }));
}

/**
 * Returns a guard that denies calls of tools with any of these capabilities. The model reads that they are not allowed, and the turn
 * continues. Throws `invalid-configuration` for an unknown capability.
 *
 * @example
 * const plan: Mode = { id: 'plan', title: 'Plan only', guards: [denyCapabilities('mutating', 'destructive', 'paid')] };
 */
export function denyCapabilities(...capabilities: readonly Capability[]): Guard {
  return guardCapabilities('denyCapabilities', capabilities, (call, found) => ({
    deny: `${call.tool} is not allowed here (${found.join(', ')}).`,
  }));
}

function guardCapabilities(
  name: string,
  capabilities: readonly Capability[],
  verdict: (call: GuardedCall, found: readonly Capability[]) => Verdict,
): Guard {
  checked(capabilitiesShape, capabilities, 'The capabilities of a guard');
  return defineGuard(name, (call) => {
    const found = capabilities.filter((capability) => call.capabilities.includes(capability));
    return found.length === 0 ? 'allow' : verdict(call, found);
  });
}

function guardTools(name: string, ids: readonly string[], verdict: (call: GuardedCall) => Verdict): Guard {
  const guard = defineGuard(name, (call) => (ids.includes(call.tool) ? verdict(call) : 'allow'));
  return Object.assign(guard, { tools: ids });
}

function reasonFor(call: GuardedCall, capabilities: readonly Capability[] = []): string {
  const kind = capabilities.length === 0 ? '' : ` (${capabilities.join(', ')})`;
  const warning = call.irreversible ? ' It cannot be undone.' : '';
  return `The agent wants to run ${named(call)}${kind}.${warning}`;
}
