import type { ContentBlockParam, MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { JsonObject } from '@banister/provider';

/**
 * Returns the request that continues a paused answer: the same request, with the content so far as its last
 * message.
 */
export function continueRequest(
  body: MessageCreateParamsStreaming,
  content: readonly JsonObject[],
  container: string,
): MessageCreateParamsStreaming {
  // Blocks are returned unchanged; the client's types lag behind the API.
  const paused = content as readonly JsonObject[] as unknown as readonly ContentBlockParam[];
  const last = body.messages.at(-1);
  const before = last?.role === 'assistant' && Array.isArray(last.content) ? last.content : null;
  const messages = before === null ? body.messages : body.messages.slice(0, -1);
  return {
    ...body,
    messages: [...messages, { role: 'assistant', content: [...(before ?? []), ...paused] }],
    ...(container === '' ? {} : { container: withId(body.container, container) }),
  };
}

/** Returns the id of the server's container, together with the skills that the options request. */
function withId(
  asked: MessageCreateParamsStreaming['container'],
  id: string,
): MessageCreateParamsStreaming['container'] {
  return typeof asked === 'object' && asked !== null ? { ...asked, id } : id;
}
