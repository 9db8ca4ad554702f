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
 * Converts messages; consecutive user messages are converted together. An assistant message that converts to nothing
 * (thinking alone, or parts of another provider) is skipped, and the user messages around it are converted together.
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

/** The parts of a user message beside results. */
export type UserPart = TextPart | ImagePart | FilePart;

/** Returns the parts that a request sends, without text of white space alone. */
export function userParts(parts: readonly MessagePart[]): readonly UserPart[] {
  return parts.filter(
    (part): part is UserPart =>
      part.type === 'image' || part.type === 'file' || (part.type === 'text' && part.text.trim() !== ''),
  );
}

/** Returns the bytes of an image or a file as an address. */
export function dataUrl({ mediaType, data }: ImagePart | FilePart): string {
  return `data:${mediaType};base64,${data}`;
}

/** A tool result as text, for APIs without another form. An image becomes `[image]`. */
export function resultText(result: ToolResultPart): string {
  return withOutcome(result, result.content.map(contentText).join('\n') || '(no output)');
}

/** Marks the text of a failed call, since the API has no field for it. */
export function withOutcome({ outcome }: ToolResultPart, text: string): string {
  return isErrorOutcome(outcome) ? `Error: ${text}` : text;
}

/** One part of a result as text. */
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
 * The arguments of a call for a request: byte for byte, so that the server's cache matches; `{}` in place of text that a server
 * would refuse.
 */
export function wireArguments(text: string): string {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? text : '{}';
}
