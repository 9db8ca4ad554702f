import type {
  ContentPart,
  JsonObject,
  JsonValue,
  Message,
  MessagePart,
  ToolCallPart,
} from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import * as told from '../conversation/model-words.js';

/** Returns the text with its secret pieces replaced. */
export type RedactText = (text: string) => string;

/**
 * Returns a message with redacted texts; the message itself if nothing is redacted. A signed or opaque part cannot be changed, and is left
 * out instead.
 */
export function redactMessage(message: Message, redact: RedactText): Message {
  const parts = message.parts.flatMap((part) => redactPart(part, redact));
  if (isSame(parts, message.parts)) return message;
  return {
    ...message,
    parts: parts.length === 0 ? [{ type: 'text', text: told.redactedMessage }] : parts,
  };
}

function redactPart(part: MessagePart, redact: RedactText): readonly MessagePart[] {
  switch (part.type) {
    case 'text':
      return [redactText(part, redact)];
    case 'thinking': {
      const redacted = redactText(part, redact);
      return redacted === part || part.signature === undefined ? [redacted] : [];
    }
    case 'opaque':
      return redactJson(part.data, redact) === part.data ? [part] : [];
    case 'tool-call':
      return [redactCall(part, redact)];
    case 'tool-result': {
      const content = redactContents(part.content, redact);
      return [content === part.content ? part : { ...part, content }];
    }
    default:
      return [redactName(part, redact)];
  }
}

/** Servers receive the name of a file together with its data. The data is sent unchanged. */
function redactName<Part extends { readonly name?: string }>(part: Part, redact: RedactText): Part {
  if (part.name === undefined) return part;
  const name = redact(part.name);
  return name === part.name ? part : { ...part, name };
}

function redactText<Part extends { readonly text: string }>(part: Part, redact: RedactText): Part {
  const text = redact(part.text);
  return text === part.text ? part : { ...part, text };
}

/** Returns the content of a result with redacted texts; the list itself if nothing is redacted. */
export function redactContents(content: readonly ContentPart[], redact: RedactText): readonly ContentPart[] {
  const redacted = content.map((one) => redactContent(one, redact));
  return isSame(redacted, content) ? content : redacted;
}

function redactContent(part: ContentPart, redact: RedactText): ContentPart {
  if (part.type === 'text') return redactText(part, redact);
  if (part.type === 'image') return redactName(part, redact);
  const value = redactJson(part.value, redact);
  return value === part.value ? part : { ...part, value };
}

/**
 * The name of the tool is redacted too, because the model may have made it up. If the arguments change, their text is written again, so
 * that both stay equal.
 */
function redactCall(given: ToolCallPart, redact: RedactText): ToolCallPart {
  const tool = redact(given.tool);
  const call = tool === given.tool ? given : { ...given, tool };
  const { arguments: parsed, ranWith, argumentsText } = call;
  const args = parsed && (redactJson(parsed, redact) as JsonObject);
  const ran = ranWith && (redactJson(ranWith, redact) as JsonObject);
  if (args === null) {
    const text = redact(argumentsText);
    return text === argumentsText ? call : { ...call, argumentsText: text };
  }
  // The text may contain what its parsed values do not: for example a key that occurs twice.
  const isClean = args === parsed && redact(argumentsText) === argumentsText;
  if (isClean && ran === ranWith) return call;
  const changed = isClean ? {} : { arguments: args, argumentsText: JSON.stringify(args) };
  return { ...call, ...changed, ...(ran === undefined ? {} : { ranWith: ran }) };
}

/** Returns JSON with redacted texts, including keys; the value itself if nothing is redacted. A number is redacted as its digits. */
export function redactJson(value: JsonValue, redact: RedactText): JsonValue {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') {
    const text = redact(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => redactJson(item, redact));
    return isSame(items, value) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value);
  const redacted = fields.map(([key, field]) => [redact(key), redactJson(field, redact)] as const);
  const isClean = redacted.every(
    ([key, field], index) => key === fields[index]![0] && field === fields[index]![1],
  );
  return isClean ? value : Object.fromEntries(redacted);
}

function isSame<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
