import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  TextBlockParam,
  UserMessageParam,
} from '@anthropic-ai/sdk/resources/messages';

/**
 * The number of latest user messages that are marked. With the tools and the system prompt, these are the
 * four marks that the API allows.
 */
const MARKED_MESSAGES = 2;

/**
 * Marks the ends of the parts that later requests repeat: the tools, the system prompt and the conversation.
 * The last but one user message is marked too, because the previous request ended there. The server looks
 * back only twenty blocks from a mark, and a round of many calls has more blocks.
 */
export function markForCache(
  body: MessageCreateParamsStreaming,
  ttl: CacheControlEphemeral['ttl'],
): MessageCreateParamsStreaming {
  const mark = { cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } } as const;
  const { tools, system, messages } = body;
  const users = messages.filter((message) => message.role === 'user').slice(-MARKED_MESSAGES);
  return {
    ...body,
    ...(tools === undefined ? {} : { tools: withLast(tools, (tool) => ({ ...tool, ...mark })) }),
    ...(Array.isArray(system)
      ? { system: withLast(system, (block: TextBlockParam) => ({ ...block, ...mark })) }
      : {}),
    messages: messages.map((message) =>
      message.role === 'user' && users.includes(message) ? markMessage(message, mark) : message,
    ),
  };
}

function markMessage(
  message: UserMessageParam,
  mark: { readonly cache_control: CacheControlEphemeral },
): UserMessageParam {
  if (typeof message.content === 'string') return message;
  // User messages end with text, an image, a document or a tool result. Each of these can have a mark.
  return {
    ...message,
    content: withLast(message.content, (block) => ({ ...block, ...mark }) as ContentBlockParam),
  };
}

function withLast<T>(items: readonly T[], change: (item: T) => T): T[] {
  return items.map((item, index) => (index === items.length - 1 ? change(item) : item));
}
