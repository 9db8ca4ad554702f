import type { AttachedInput, Message } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { inputParts } from '@banister/provider/internal/messages/message';
import { checkImage } from './read-image.js';

/** Returns the parts of a user message. Throws `invalid-input` or `unreadable-attachment`. */
export function readInput(input: AttachedInput): Message['parts'] {
  const given = (typeof input === 'string' ? { text: input } : (input ?? {})) as Exclude<
    AttachedInput,
    string
  >;
  const { text, images = [], files = [] } = given;
  if (typeof text !== 'string') throw new AgentSessionError('invalid-input', 'The message must be a text.');
  if (!Array.isArray(images)) throw new AgentSessionError('invalid-input', 'The images must be a list.');
  if (!Array.isArray(files)) throw new AgentSessionError('invalid-input', 'The files must be a list.');
  if (text.trim() === '' && images.length === 0 && files.length === 0)
    throw new AgentSessionError('invalid-input', 'The message is empty.');
  images.forEach(checkImage);
  return inputParts(given);
}
