import type { Message, TextPart } from '@banister/provider';
import { enclosed } from '@banister/provider/internal/messages/foreign-text';

/** Returns a part of a user message that is a note of the library: the user did not write it. */
export function notePart(note: string): TextPart {
  return { type: 'text', text: enclosed('note', note) };
}

/** Returns a user message that consists of a note. */
export function noteMessage(id: string, note: string): Message {
  return { id, role: 'user', parts: [notePart(note)] };
}
