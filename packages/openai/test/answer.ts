import { isAgentSessionError, type AgentSessionError, type Provider } from '@handrail/session/provider';
import type { FinishReason, JsonValue, ProviderRequest, UsageReport } from '@handrail/session/provider';

/** One answer of a provider, collected. */
export interface Answer {
  text: string;
  thinking: string;
  calls: { id: string; tool: string; argumentsText: string }[];
  opaque: JsonValue[];
  usage: UsageReport | null;
  finish: { reason: FinishReason; raw?: string } | null;
  error: AgentSessionError | null;
}

/** A request with what a test does not care about filled in. */
export function request(parts: Partial<ProviderRequest> = {}): ProviderRequest {
  return {
    system: '',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    tools: [],
    idempotencyKey: 'key-1',
    ...parts,
  };
}

/** Reads an answer to its end, and holds the provider to its port while it does. */
export async function answerOf(
  provider: Provider,
  asked: ProviderRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const answer: Answer = {
    text: '',
    thinking: '',
    calls: [],
    opaque: [],
    usage: null,
    finish: null,
    error: null,
  };
  try {
    for await (const event of provider.stream(asked, signal)) {
      if (answer.finish && event.type !== 'usage') throw new Error(`${event.type} after finish`);
      switch (event.type) {
        case 'text':
          answer.text += event.delta;
          break;
        case 'thinking':
          answer.thinking += event.delta;
          break;
        case 'tool-call': {
          if (event.index > answer.calls.length) throw new Error('a call arrived out of order');
          const call = (answer.calls[event.index] ??= { id: '', tool: '', argumentsText: '' });
          if (event.index === answer.calls.length - 1 && call.tool === '' && event.tool === undefined) {
            throw new Error('the first piece of a call must name its tool');
          }
          call.id ||= event.id ?? '';
          call.tool ||= event.tool ?? '';
          call.argumentsText += event.delta;
          break;
        }
        case 'opaque':
          answer.opaque.push(event.data);
          break;
        case 'usage':
          answer.usage = event.usage;
          break;
        case 'finish':
          answer.finish = { reason: event.reason, ...(event.raw === undefined ? {} : { raw: event.raw }) };
      }
    }
  } catch (thrown) {
    if (!isAgentSessionError(thrown)) throw thrown;
    answer.error = thrown;
  }
  return answer;
}
