import { attachedFile, type AttachedFile, type FileInput } from './attachment.js';
import type { AttachmentPart, ImagePart, MessagePart, TextPart, ToolCallPart } from './content.js';

/** One message. There are two roles; tool results are parts of user messages. */
export interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly MessagePart[];
  /** `summary`: the library wrote it to replace the messages that a compaction leaves out. It occurs only in requests. */
  readonly kind?: 'summary';
}

/** The messages that the model reads. It is an object, so that later releases can add fields. */
export interface Conversation {
  readonly messages: readonly Message[];
}

/** An image of the user's input. `readImage` creates one from a file. */
export interface ImageInput {
  /** For example `image/png`. */
  readonly mediaType: string;
  /** Base64 without a `data:` prefix. */
  readonly data: string;
}

/**
 * A message of the user: text, or text with files. `files` are images, PDFs and text files in any form. `images` are images with a known
 * type, whose bytes are already base64.
 */
export type Input =
  | string
  | {
      readonly text: string;
      readonly images?: readonly ImageInput[] | undefined;
      readonly files?: readonly FileInput[] | undefined;
    };

/** A message of the user whose files the session has. Plain JSON. */
export type AttachedInput =
  | string
  | {
      readonly text: string;
      readonly images?: readonly ImageInput[] | undefined;
      readonly files?: readonly AttachedFile[] | undefined;
    };

/** Returns the parts of a user message: the text first, then images and files in order. */
export function inputParts(input: AttachedInput): readonly (TextPart | ImagePart | AttachmentPart)[] {
  const { text, images = [], files = [] } = typeof input === 'string' ? { text: input } : input;
  return [
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...images.map(({ mediaType, data }) => ({ type: 'image', mediaType, data }) as const),
    ...files.map((file) => ({ type: 'attachment', ...attachedFile(file) }) as const),
  ];
}

/** Returns the text of a message, or of the input for one: the joined text parts, without thinking. */
export function textOf(message: Message | Input): string {
  if (typeof message === 'string') return message;
  if ('text' in message) return message.text;
  return message.parts.reduce((text, part) => (part.type === 'text' ? text + part.text : text), '');
}

/** Returns the tool calls of a message, in order. */
export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call');
}
