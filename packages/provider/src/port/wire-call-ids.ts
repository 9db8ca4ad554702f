import type { Message } from '../messages/message.js';

/**
 * Returns the ids of tool calls for one request, by {@link ToolCallPart.id}. A call keeps the id of its provider if that id is unique, because
 * logs and caches contain it. A call gets the id of the session if a provider used its own id twice, or if that id is too long for the
 * server.
 *
 * @param longest the length of the longest id that the server accepts, in characters. Default: no limit
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
