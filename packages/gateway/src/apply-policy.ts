import type { Message, ProviderRequest, ToolDefinition } from '@banister/session/provider';
import type { AnswerRequest } from './answer-request.js';
import type { WholePolicy } from './policy.js';
import { Refusal } from './refusal.js';

/** The fields of a request that a policy decides about. */
export type PermittedRequest = Omit<ProviderRequest, 'idempotencyKey'>;

/**
 * Returns a request as the policy of its user permits it. Throws a refusal with the status 403 for a tool that the user may not offer: a tool
 * that was left out in silence would be missed by the page. One that the model may not call stays defined, and is empty.
 */
export function applyPolicy(asked: AnswerRequest, policy: WholePolicy): PermittedRequest {
  const { system, messages, toolChoice, output, maxOutputTokens = Infinity } = asked;
  const most = Math.min(maxOutputTokens, policy.maxOutputTokens ?? Infinity);
  const tools = permittedTools(asked, policy.tools);
  if (typeof toolChoice === 'object' && !tools.some(({ name }) => name === toolChoice.tool))
    throw notPermitted(toolChoice.tool);
  return {
    ...permittedRole(system, messages, policy.role),
    tools,
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(output === undefined ? {} : { output }),
    ...(most === Infinity ? {} : { maxOutputTokens: most }),
  };
}

/**
 * The system prompt is that of the policy alone. The page's own has the live context of the app, which the model needs: it goes to the end as a
 * message of the user, who could write the same.
 */
function permittedRole(
  system: string,
  messages: readonly Message[],
  role: string | undefined,
): Pick<ProviderRequest, 'system' | 'messages'> {
  if (role === undefined) return { system, messages };
  // A page with the same role has its live context behind it.
  const isSame = system === role || system.startsWith(`${role}\n\n`);
  const own = isSame ? system.slice(role.length).trimStart() : system;
  if (own.trim() === '') return { system: role, messages };
  const text = `About the app, as it is now:\n${own}`;
  const context: Message = { id: 'app-context', role: 'user', parts: [{ type: 'text', text }] };
  return { system: role, messages: [...messages, context] };
}

function permittedTools(
  { tools, toolChoice }: AnswerRequest,
  permitted: WholePolicy['tools'],
): readonly ToolDefinition[] {
  if (permitted === undefined) return tools;
  return tools.map((tool) => {
    const { name } = tool;
    let isPermitted = false;
    for (const rule of permitted) {
      // The definition of the operator counts before a wildcard, wherever it stands.
      if (typeof rule !== 'string') {
        if (rule.name === name) return rule;
      } else isPermitted ||= covers(rule, name);
    }
    if (isPermitted) return tool;
    const isCallable = typeof toolChoice === 'object' ? toolChoice.tool === name : toolChoice !== 'none';
    if (isCallable) throw notPermitted(name);
    // Servers require it for a call that the messages have: of a tool that is gone, or that the model made up.
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
