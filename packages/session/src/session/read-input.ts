import type { AttachedInput, Input } from '@banister/provider';
import type { Attached } from '../operations/session-operations.js';

/** A user message whose files were read. */
export interface ReadInput {
  /** The message as it is sent to another session: plain JSON, with the contents of its new files. */
  readonly sent: Input;
  /** The message as this session stores it. */
  readonly own: AttachedInput;
  /** The contents that the session does not have yet, in the order of the files. */
  readonly attached: readonly Attached[];
}

/** A message with files that have to be read. */
export type InputWithFiles = Exclude<Input, string>;

/** Returns true if a message has files. A list of another form is refused later, with the message. */
export function hasFiles(input: Input | undefined): input is InputWithFiles {
  return (
    Array.isArray((input as InputWithFiles | undefined)?.files) && (input as InputWithFiles).files!.length > 0
  );
}

/** Returns a message with copies of its lists. While the message waits, changes that the app makes to its own lists have no effect. */
export function withOwnLists(input: Input): Input {
  if (typeof input === 'string') return input;
  const { images = [], files = [] } = input;
  return { ...input, images: [...images], files: [...files] };
}

/** Wraps a message without files, which needs no reading. */
export function withoutFiles(input: Input): ReadInput {
  return { sent: input, own: input as AttachedInput, attached: [] };
}
