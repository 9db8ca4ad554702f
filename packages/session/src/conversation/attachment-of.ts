import type { Attachment, Attachments, Message } from '@banister/provider';

/** Returns the content of an attachment; undefined if it is missing. */
export function attachmentOf(attachments: Attachments, id: string): Attachment | undefined {
  return Object.hasOwn(attachments, id) ? attachments[id] : undefined;
}

/** Returns the ids of the attachments of a message, in order. */
export function attachmentIdsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === 'attachment' ? [part.id] : []));
}
