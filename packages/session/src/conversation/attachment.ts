/** The content of an attachment, once for all messages that have it. */
export interface Attachment {
  /** As the content says: `image/jpeg`, `image/png`, `image/gif`, `image/webp`, `application/pdf` or `text/plain`. */
  readonly mediaType: string;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

/** The contents of a session's attachments, by id. */
export type Attachments = Readonly<Record<string, Attachment>>;

/** A file that the session has: its content is `attachments[id]` of the state. */
export interface AttachedFile {
  readonly id: string;
  readonly name: string;
  /** As in {@link Attachment}. */
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
}

/** A file as JSON: the form that a follower sends to the session that writes. */
export interface FileData {
  readonly name?: string | undefined;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

/**
 * A file of the user's input. A `URL` is fetched once, in the page of the call. An {@link AttachedFile}, for example a part of an earlier
 * message, is attached again without a copy. The type is taken from the content, never from the name.
 */
export type FileInput = File | Blob | URL | Uint8Array | FileData | AttachedFile;

/** The kinds of attachments: a model reads text files as text. */
export type AttachmentKind = 'image' | 'pdf' | 'text';

/** Returns the kind of an attachment of this type. */
export function kindOf(mediaType: string): AttachmentKind {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType === 'application/pdf' ? 'pdf' : 'text';
}

/** Returns a file without further fields. */
export function attachedFile({ id, name, mediaType, size }: AttachedFile): AttachedFile {
  return { id, name, mediaType, size };
}
