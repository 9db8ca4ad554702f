import {
  isErrorOutcome,
  isJsonObject,
  strictParse,
  type ContentPart,
  type Message,
  type MessagePart,
  type ToolResultPart,
} from '@handrail/session/provider';

/**
 * Messages as a list of something else, the parts of consecutive user messages at once. An assistant message that leaves
 * nothing (thinking alone, or parts of another provider) is skipped, and the user messages around it become one.
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

/** A tool result as text, for APIs that know no other form. Images are only named. */
export function resultText(result: ToolResultPart): string {
  return withOutcome(result, result.content.map(contentText).join('\n') || '(no output)');
}

/** Marks the text of a failed call: the API has no field that says so. */
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
 * Arguments of a call for a request: byte for byte, so that the server's cache knows them; but nothing that a server
 * would refuse to read.
 */
export function wireArguments(text: string): string {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value) ? text : '{}';
}
