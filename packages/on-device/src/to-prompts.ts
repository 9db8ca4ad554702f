import {
  indented,
  type ImagePart,
  type Message,
  type MessagePart,
  type ProviderRequest,
  type WireNames,
} from '@banister/provider';
import type { Prompt, PromptContent } from './language-model.js';
import { resultText } from './result-text.js';

/** A request in the form of the Prompt API. */
export interface Prompts {
  /** System prompt and history. The browser never drops these: it refuses prompts that do not fit. */
  readonly initial: readonly Prompt[];
  /** The prompts to be answered. */
  readonly asked: readonly Prompt[];
}

/**
 * Returns the request's messages as prompts. Consecutive messages with the same role are joined. Calls and results of earlier turns
 * become text, because browsers have no common form for them.
 */
export function toPrompts({ system, messages }: ProviderRequest, names: WireNames): Prompts {
  const tools = toolsOfCalls(messages, names);
  const prompts: { role: 'user' | 'assistant'; content: PromptContent[] }[] = [];
  for (const { role, parts } of messages) {
    const content = parts.flatMap((part) => contentOf(part, tools));
    if (content.length === 0) continue;
    const last = prompts.at(-1);
    if (last?.role === role) last.content.push(...content);
    else prompts.push({ role, content });
  }
  const asked = prompts.at(-1)?.role === 'user' ? prompts.slice(-1) : [];
  const history = prompts.slice(0, prompts.length - asked.length);
  return {
    initial: [
      ...(system === '' ? [] : [{ role: 'system', content: system } as const]),
      ...history.map(toPrompt),
    ],
    asked: asked.map(toPrompt),
  };
}

function toolsOfCalls(messages: readonly Message[], names: WireNames): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-call' ? [[part.id, names.toWire(part.tool)] as const] : [],
      ),
    ),
  );
}

function contentOf(part: MessagePart, tools: ReadonlyMap<string, string>): readonly PromptContent[] {
  switch (part.type) {
    case 'text':
      return [text(part.text)];
    case 'image':
      return [{ type: 'image', value: blobOf(part) }];
    case 'tool-call':
      return [text(`[Called ${tools.get(part.id)} with ${part.argumentsText || '{}'}]`)];
    case 'tool-result':
      return [text(`[Result of ${tools.get(part.callId) ?? 'a call'}] ${indented(resultText(part))}`)];
    default:
      // Only the model that wrote thinking and opaque parts can read them.
      return [];
  }
}

function toPrompt({ role, content }: { role: Prompt['role']; content: readonly PromptContent[] }): Prompt {
  // The API joins adjacent texts without a space.
  const joined: PromptContent[] = [];
  for (const piece of content) {
    const last = joined.at(-1);
    if (piece.type === 'text' && last?.type === 'text') {
      joined[joined.length - 1] = text(`${last.value}\n\n${piece.value}`);
    } else joined.push(piece);
  }
  const [only, ...more] = joined;
  return { role, content: only?.type === 'text' && more.length === 0 ? only.value : joined };
}

function text(value: string): PromptContent {
  return { type: 'text', value };
}

function blobOf({ data, mediaType }: ImagePart): Blob {
  return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], { type: mediaType });
}
