import type { Message } from '../conversation/message.js';

/**
 * Ids of tool calls for one request: the provider's own where they are unique, since logs and caches know them, and
 * the session's where a provider used one twice, or one that is too long for the server that it goes to now. Maps
 * {@link ToolCallPart.id} to the id to send.
 *
 * @param longest the most characters that the server accepts. Default: any number
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
      // A provider may have chosen what is our id of another call.
      while (used.has(wireId)) wireId += '_';
      used.add(wireId);
      wireIds.set(part.id, wireId);
    }
  }
  return wireIds;
}
