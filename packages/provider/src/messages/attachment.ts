/** The content of an attachment. All messages with the attachment share it. */
export interface Attachment {
  /**
   * The type that was recognised from the content: `image/jpeg`, `image/png`, `image/gif`, `image/webp`, `application/pdf` or `text/plain`.
   */
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
  /** The size in bytes. */
  readonly size: number;
}

/** A file as JSON, in the form in which a follower sends it to the session that writes. */
export interface FileData {
  readonly name?: string | undefined;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

/**
 * A file of the user's input. A `URL` is fetched once, in the page that makes the call. An {@link AttachedFile}, for example a part of an
 * earlier message, is attached again without a copy. The type is read from the content, never from the name.
 */
export type FileInput = File | Blob | URL | Uint8Array | FileData | AttachedFile;

/** The kinds of attachments. A model reads a text file as text. */
type AttachmentKind = 'image' | 'pdf' | 'text';

/** Returns the kind of an attachment with this media type. */
export function kindOf(mediaType: string): AttachmentKind {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType === 'application/pdf' ? 'pdf' : 'text';
}

/** Returns a file without any additional fields. */
export function attachedFile({ id, name, mediaType, size }: AttachedFile): AttachedFile {
  return { id, name, mediaType, size };
}
