import type { ContentBlockParam, MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '@handrail/session/provider';

/** The request that continues a paused answer: the same, with all that the model has said so far at its end. */
export function continueRequest(
  body: MessageCreateParamsStreaming,
  content: readonly JsonObject[],
  container: string,
): MessageCreateParamsStreaming {
  // Blocks are returned as they came, whatever the client's types know of them.
  const said = content as readonly JsonObject[] as unknown as readonly ContentBlockParam[];
  const last = body.messages.at(-1);
  const before = last?.role === 'assistant' && Array.isArray(last.content) ? last.content : null;
  const messages = before === null ? body.messages : body.messages.slice(0, -1);
  return {
    ...body,
    messages: [...messages, { role: 'assistant', content: [...(before ?? []), ...said] }],
    ...(container === '' ? {} : { container: withId(body.container, container) }),
  };
}

/** The container that the server works in, with the skills that were asked for. */
function withId(
  asked: MessageCreateParamsStreaming['container'],
  id: string,
): MessageCreateParamsStreaming['container'] {
  return typeof asked === 'object' && asked !== null ? { ...asked, id } : id;
}
