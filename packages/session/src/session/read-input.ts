import { inputParts, type AttachedInput, type Input, type Message } from '../conversation/message.js';
import { checkImage } from '../conversation/read-image.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Attached } from '../operations/session-operations.js';

/** A message of the user whose files were read. */
export interface ReadInput {
  /** The message as another session gets it: plain JSON, with the contents of its new files. */
  readonly sent: Input;
  /** The message as this session has it. */
  readonly own: AttachedInput;
  /** The contents that the session does not have yet, in order. */
  readonly attached: readonly Attached[];
}

/** A message with files, which have to be read. */
export type InputWithFiles = Exclude<Input, string>;

/** Whether a message has files. A list of another form is refused with the message. */
export function hasFiles(input: Input): input is InputWithFiles {
  return (
    Array.isArray((input as InputWithFiles | undefined)?.files) && (input as InputWithFiles).files!.length > 0
  );
}

/** Returns a message with lists of its own: one that waits stays as it is, whatever the app does with those that it gave. */
export function kept(input: Input): Input {
  if (typeof input === 'string') return input;
  const { images = [], files = [] } = input;
  return { ...input, images: [...images], files: [...files] };
}

/** Returns a message without files, which needs no reading. */
export function withoutFiles(input: Input): ReadInput {
  return { sent: input, own: input as AttachedInput, attached: [] };
}

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
