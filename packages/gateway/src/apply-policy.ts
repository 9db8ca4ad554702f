import type { Message, ProviderRequest, ToolDefinition } from '@banister/provider';
import type { AnswerRequest } from './answer-request.js';
import type { Permit } from './permits.js';
import type { AgentPolicy } from './policy.js';
import { Refusal } from './refusal.js';

/** The fields of a request that a policy decides about. */
export type PermittedRequest = Omit<ProviderRequest, 'idempotencyKey'>;

/**
 * Returns a request as its permits allow it. Throws a refusal with the status 403 for a tool that is not permitted: a silent
 * omission would hide from the page that the tool is not permitted. If the model may not call the tool in this request, the tool gets an empty definition.
 */
export function applyPolicy(asked: AnswerRequest, permits: readonly Permit[]): PermittedRequest {
  const { agent, system, messages, toolChoice, output, maxOutputTokens = Infinity } = asked;
  const most = Math.min(maxOutputTokens, ...permits.map((permit) => permit.maxOutputTokens ?? Infinity));
  const tools = permits.reduce(
    (offered, permit) => permittedTools(offered, toolChoice, permit.tools),
    asked.tools,
  );
  if (typeof toolChoice === 'object' && !tools.some(({ name }) => name === toolChoice.tool))
    throw notPermitted(toolChoice.tool);
  return {
    ...permittedRole(system, messages, permits.findLast(({ role }) => role !== undefined)?.role),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(output === undefined ? {} : { output }),
    ...(agent === undefined ? {} : { agent }),
    ...(most === Infinity ? {} : { maxOutputTokens: most }),
  };
}

/**
 * Only the policy sets the system prompt. The page's prompt has the live context of the app, which the model needs: it becomes the last
 * message of the user, who could write the same.
 */
function permittedRole(
  system: string,
  messages: readonly Message[],
  role: string | undefined,
): Pick<ProviderRequest, 'system' | 'messages'> {
  if (role === undefined) return { system, messages };
  // If the page uses the same role, its live context follows the role.
  const isSame = system === role || system.startsWith(`${role}\n\n`);
  const own = isSame ? system.slice(role.length).trimStart() : system;
  if (own.trim() === '') return { system: role, messages };
  const text = `About the app, as it is now:\n${own}`;
  const context: Message = { id: 'app-context', role: 'user', parts: [{ type: 'text', text }] };
  return { system: role, messages: [...messages, context] };
}

function permittedTools(
  tools: readonly ToolDefinition[],
  toolChoice: AnswerRequest['toolChoice'],
  permitted: AgentPolicy['tools'],
): readonly ToolDefinition[] {
  if (permitted === undefined) return tools;
  return tools.map((tool) => {
    const { name } = tool;
    let isPermitted = false;
    for (const rule of permitted) {
      // The operator's definition takes precedence over a wildcard, in any order.
      if (typeof rule !== 'string') {
        if (rule.name === name) return rule;
      } else isPermitted ||= covers(rule, name);
    }
    if (isPermitted) return tool;
    const isCallable = typeof toolChoice === 'object' ? toolChoice.tool === name : toolChoice !== 'none';
    if (isCallable) throw notPermitted(name);
    // Servers require a definition for each call in the messages, even if the tool is gone or the model invented it.
    return { name, description: '', parameters: { type: 'object', properties: {} } };
  });
}

function covers(rule: string, tool: string): boolean {
  return rule.endsWith('.*') ? tool.startsWith(rule.slice(0, -1)) : rule === tool;
}

function notPermitted(tool: string): Refusal {
  return new Refusal(403, 'unsupported', 'The policy permits no such tool.', {
    details: { tool },
  });
}
