import type { Message } from '@banister/provider';
import { messageOf, wholeMessageOf } from '@banister/provider/internal/errors/to-session-error';
import { deepFreeze } from '@banister/provider/internal/json/json';
import type { HookStages } from '../turn/turn-parts.js';
import { egressRefused } from './egress-refused.js';
import type { With } from './hook-place.js';

/**
 * Returns a function that redacts a message; null if no middleware redacts. It throws `egress-refused`, so that nothing is sent that was
 * not redacted.
 */
export function redactedBy(list: readonly With<'redact'>[]): HookStages['redact'] {
  if (list.length === 0) return null;
  const redact = (message: Message, middleware: With<'redact'>) => {
    try {
      const redacted = middleware.redact(message) ?? message;
      if (!redacted.parts) throw new Error('it returned no message');
      return deepFreeze(redacted);
    } catch (error) {
      throw egressRefused(middleware.name, messageOf(error), error);
    }
  };
  return (message) => list.reduce(redact, message);
}

/** Returns the message of a thrown value for the model. A text that is shortened is redacted first. */
export function messageFor(redact: HookStages['redact'], thrown: unknown): string {
  const text = wholeMessageOf(thrown);
  const cut = messageOf(thrown);
  if (redact === null || text === cut) return cut;
  const [part] = redact({ id: '', role: 'user', parts: [{ type: 'text', text }] }).parts;
  return messageOf(part?.type === 'text' ? part.text : '');
}
