import type { AttachedInput, Input } from '../conversation/message.js';
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

/** Returns a message without files, which needs no reading. */
export function withoutFiles(input: Input): ReadInput {
  return { sent: input, own: input as AttachedInput, attached: [] };
}
