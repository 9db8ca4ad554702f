import {
  isAgentSessionError,
  type AgentSessionError,
  type FinishReason,
  type JsonValue,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type UsageReport,
} from '@banister/provider';

/** One answer of a provider, collected. */
export interface Answer {
  text: string;
  thinking: string;
  signatures: string[];
  calls: { id: string; tool: string; hosted?: true; argumentsText: string }[];
  opaque: JsonValue[];
  usage: UsageReport | null;
  finish: { reason: FinishReason; raw?: string } | null;
  error: AgentSessionError | null;
  events: ProviderEvent[];
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
    signatures: [],
    calls: [],
    opaque: [],
    usage: null,
    finish: null,
    error: null,
    events: [],
  };
  try {
    for await (const event of provider.stream(asked, signal)) {
      if (answer.finish && event.type !== 'usage') throw new Error(`${event.type} after finish`);
      answer.events.push(event);
      add(answer, event);
    }
  } catch (thrown) {
    if (!isAgentSessionError(thrown)) throw thrown;
    answer.error = thrown;
  }
  return answer;
}

function add(answer: Answer, event: ProviderEvent): void {
  switch (event.type) {
    case 'text':
      answer.text += event.delta;
      return;
    case 'thinking':
      answer.thinking += event.delta;
      if (event.signature !== undefined) answer.signatures.push(event.signature);
      return;
    case 'tool-call': {
      if (event.index > answer.calls.length) throw new Error('a call arrived out of order');
      if (answer.calls[event.index] === undefined && event.tool === undefined) {
        throw new Error('the first piece of a call must name its tool');
      }
      const call = (answer.calls[event.index] ??= { id: '', tool: '', argumentsText: '' });
      call.id ||= event.id ?? '';
      call.tool ||= event.tool ?? '';
      if (event.hosted) call.hosted = true;
      call.argumentsText += event.delta;
      return;
    }
    case 'inner-call':
      throw new Error('no API over HTTP runs tools inside its answer');
    case 'opaque':
      answer.opaque.push(event.data);
      return;
    case 'usage':
      answer.usage = event.usage;
      return;
    case 'finish':
      answer.finish = { reason: event.reason, ...(event.raw === undefined ? {} : { raw: event.raw }) };
  }
}
