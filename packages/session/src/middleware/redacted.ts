import type { Message } from '../conversation/message.js';
import { messageOf } from '../errors/to-session-error.js';
import { deepFreeze } from '../json/json.js';
import { egressRefused } from './egress-refused.js';
import type { Middleware } from './middleware.js';

/** Returns a message as all middleware redacts it. Throws `egress-refused`, so that nothing is sent that was not redacted. */
export function redacted(list: readonly Middleware[], message: Message): Message {
  return list.reduce((one, middleware) => {
    try {
      return deepFreeze(middleware.redact?.(one) ?? one);
    } catch (error) {
      throw egressRefused(middleware.name, messageOf(error), error);
    }
  }, message);
}

/** Returns the message of a thrown value, redacted where it is not there as a whole. */
export function messageIn(thrown: unknown, redact: (message: Message) => Message): string {
  const cut = messageOf(thrown);
  let text: unknown;
  try {
    text = thrown instanceof Error ? thrown.message : thrown;
  } catch {
    // A getter or a proxy threw.
  }
  if (typeof text !== 'string' || text === cut) return cut;
  const [part] = redact({ id: '', role: 'user', parts: [{ type: 'text', text }] }).parts;
  return messageOf(part?.type === 'text' ? part.text : '');
}
