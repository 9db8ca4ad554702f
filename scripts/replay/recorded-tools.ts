import type { Provider, ProviderEvent, ProviderRequest } from '@banister/provider';
import { defineDomain, defineTool, type Domain } from '@banister/session';

/** Tools with the names that a recording calls, and what happened to their calls. */
export interface RecordedTools {
  readonly domains: readonly Domain[];
  /** The session's ids of the calls that ran. */
  readonly executed: ReadonlySet<string>;
  /** Returns the provider with the recorded names replaced by the names of the session's tools. */
  rename(provider: Provider): Provider;
  /** The recorded name of one of the session's tools. */
  nameOf(tool: string): string;
}

const DOMAIN = 'recorded';

/** The names of all tools that an answer calls, read only from the provider's events. */
export async function calledTools(provider: Provider): Promise<readonly string[]> {
  const names = new Set<string>();
  const request: ProviderRequest = {
    system: '',
    messages: [{ id: 'message', role: 'user', parts: [{ type: 'text', text: 'Replay.' }] }],
    tools: [],
    idempotencyKey: 'names',
  };
  try {
    for await (const event of provider.stream(request, new AbortController().signal)) {
      if (event.type === 'tool-call' && event.tool !== undefined && !event.hosted) names.add(event.tool);
    }
  } catch {
    // The turn will tell what is wrong with the answer.
  }
  return [...names];
}

/** Makes stubs for these tools. Each accepts any arguments, and does nothing. */
export function createRecordedTools(names: readonly string[]): RecordedTools {
  const executed = new Set<string>();
  const tools = names.map((name, index) =>
    defineTool({
      // A recorded name may have characters that the session does not allow.
      name: `tool_${index}`,
      description: `Stands for ${name}.`,
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: (_args, { callId }) => {
        executed.add(callId);
      },
    }),
  );
  const nameById = new Map(names.map((name, index) => [`${DOMAIN}.tool_${index}`, name]));
  const idByName = new Map([...nameById].map(([id, name]) => [name, id]));
  const toSession = (event: ProviderEvent): ProviderEvent =>
    event.type === 'tool-call' && event.tool !== undefined
      ? { ...event, tool: idByName.get(event.tool) ?? event.tool }
      : event;

  return {
    domains: tools.length === 0 ? [] : [defineDomain({ id: DOMAIN, tools })],
    executed,
    rename: (provider) => ({
      ...provider,
      async *stream(request, signal) {
        const recorded = {
          ...request,
          tools: request.tools.map((tool) => ({ ...tool, name: nameById.get(tool.name) ?? tool.name })),
        };
        for await (const event of provider.stream(recorded, signal)) yield toSession(event);
      },
    }),
    nameOf: (tool) => nameById.get(tool) ?? tool,
  };
}
