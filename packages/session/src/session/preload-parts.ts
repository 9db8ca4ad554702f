import type { ToolDefinition } from '@banister/provider';
import type { Agent } from '../agents/agent.js';
import { childrenCode } from '../children/children-of.js';
import type { Ports } from '../ports/ports.js';
import { preloadValidator } from '../tools/load-validator.js';

/**
 * Loads the code that runs child turns if the session has agents. In a page or worker, also loads the code that checks the arguments of
 * these tools.
 *
 * @param tools the tools of the session. Absent if they are unknown.
 */
export async function preloadParts(
  ports: Pick<Ports, 'clock' | 'validator'>,
  tools?: readonly ToolDefinition[],
  agents?: readonly Agent[],
): Promise<void> {
  await Promise.all([
    agents?.length && childrenCode.get(ports.clock),
    tools?.length !== 0 && preloadValidator(ports, tools ?? []),
  ]);
}
