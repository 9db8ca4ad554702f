import {
  isErrorOutcome,
  isJsonObject,
  strictParse,
  type ContentPart,
  type FilePart,
  type ImagePart,
  type Message,
  type MessagePart,
  type TextPart,
  type ToolResultPart,
} from '@banister/provider';

/**
 * Converts messages. Consecutive user messages are converted together. If an assistant message converts to
 * nothing (it has only thinking, or parts of another provider), it is skipped, and the user messages around
 * it are converted together.
 */
export function convertMessages<Converted>(
  messages: readonly Message[],
  fromUser: (parts: readonly MessagePart[]) => readonly Converted[],
  fromAssistant: (message: Message) => readonly Converted[],
): Converted[] {
  const converted: Converted[] = [];
  let parts: MessagePart[] = [];
  for (const message of messages) {
    if (message.role === 'user') {
      parts.push(...message.parts);
      continue;
    }
    const assistant = fromAssistant(message);
    if (assistant.length === 0) continue;
    converted.push(...fromUser(parts), ...assistant);
    parts = [];
  }
  return [...converted, ...fromUser(parts)];
}

/** The parts of a user message that are not tool results. */
export type UserPart = TextPart | ImagePart | FilePart;

/** Returns the parts that a request sends. Text of white space alone is left out. */
export function userParts(parts: readonly MessagePart[]): readonly UserPart[] {
  return parts.filter(
    (part): part is UserPart =>
      part.type === 'image' || part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''),
  );
}

/** Returns an image or a file as a data URL. */
export function dataUrl({ mediaType, data }: ImagePart | FilePart): string {
  return `data:${mediaType};base64,${data}`;
}

/** Returns a tool result as text, for APIs that have no other form. An image becomes `[image]`. */
export function resultText(result: ToolResultPart): string {
  return withOutcome(result, result.content.map(contentText).join('\n') || '(no output)');
}

/** Marks the text of a failed call, because the API has no field for it. */
export function withOutcome({ outcome }: ToolResultPart, text: string): string {
  return isErrorOutcome(outcome) ? `Error: ${text}` : text;
}

/** Returns one part of a result as text. */
export function contentText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'json':
      return JSON.stringify(part.value);
    case 'image':
      return '[image]';
  }
}

/**
 * Returns the arguments of a call for a request: byte for byte, so that the server's cache matches, but `{}`
 * instead of text that a server would refuse.
 */
export function wireArguments(text: string): string {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? text : '{}';
}
