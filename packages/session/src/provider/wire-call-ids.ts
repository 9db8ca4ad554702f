import type { Message } from '../conversation/message.js';

/**
 * Returns the ids of tool calls for one request, by {@link ToolCallPart.id}. It is the provider's own id if that id is unique, because logs
 * and caches contain it. It is the session's id if a provider used an id twice, or if its id is too long for the server.
 *
 * @param longest the highest number of characters that the server accepts. Default: any number
 */
export function wireCallIds(messages: readonly Message[], longest = Infinity): ReadonlyMap<string, string> {
  const wireIds = new Map<string, string>();
  const used = new Set<string>();
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type !== 'tool-call') continue;
      const own = part.providerCallId;
      const fits = own !== undefined && own !== '' && own.length <= longest;
      let wireId = fits && !used.has(own) ? own : part.id;
      // The provider's id of this call may equal the session's id of another call.
      while (used.has(wireId)) wireId += '_';
      used.add(wireId);
      wireIds.set(part.id, wireId);
    }
  }
  return wireIds;
}
