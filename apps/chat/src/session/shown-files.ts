import type { AgentSession, Input, Message } from '@banister/session';
import type { AttachedFile } from '@banister/provider';

/** A file as a list shows it. */
export interface ShownFile {
  readonly id: string;
  readonly name: string;
  readonly size: string;
  /** The address of the file's picture; null if the file is not a picture. */
  readonly preview: string | null;
}

/** Returns the files of a sent message. Reads a signal. */
export function filesOf(
  { parts }: Message,
  { attachments }: Pick<AgentSession, 'attachments'>,
): readonly ShownFile[] {
  const attached = attachedIn(parts);
  // Without files, the contents need not be followed.
  if (attached.length === 0) return [];
  return attached.map(({ id, name, mediaType, size }, place) => {
    const content = attachments.value[id];
    const isImage = mediaType.startsWith('image/') && content !== undefined;
    return {
      id: `${place}:${id}`,
      name,
      size: sizeWords(size),
      preview: isImage ? `data:${mediaType};base64,${content.data}` : null,
    };
  });
}

/** Returns the files of a message, to be attached to another message. */
export function attachedIn(parts: Message['parts']): readonly AttachedFile[] {
  return parts.filter((part) => part.type === 'attachment');
}

/** Returns a message with a new text and the same files. */
export function withFiles(text: string, files: readonly AttachedFile[]): Input {
  return files.length === 0 ? text : { text, files };
}

/** Returns a size in words: "12 kB", "3.4 MB". */
export function sizeWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Returns whether two lists show the same files. */
export function sameFiles(a: readonly ShownFile[], b: readonly ShownFile[]): boolean {
  return (
    a.length === b.length && a.every(({ id, preview }, at) => id === b[at]!.id && preview === b[at]!.preview)
  );
}
