import { shortText } from '@banister/form';
import { isJsonObject } from '@banister/provider';
import type { MemoryItem } from '@banister/crew/memory';
import type { JsonValue, Tool } from '@banister/session';
import { timeWords } from '../chats/chat-words.js';

/** The ids of the tools of the memory. */
export const rememberId = 'memory.remember';
export const forgetId = 'memory.forget';
export const searchId = 'memory.search';

/** The rules begin an answer from what is remembered with these words. */
export const FROM_MEMORY = 'You had me remember';

/** Says who wrote the present text of a fact. */
export function authorWords({ by, agent }: MemoryItem['source']): string {
  if (by === 'user') return 'You';
  return agent === undefined ? 'The agent' : `The agent “${agent}”`;
}

/** Says when the text of a fact was written. */
export function writtenWords({ changedAt }: MemoryItem): string {
  return timeWords(changedAt, Date.now());
}

/**
 * Describes a call of a tool of the memory; null for every other call.
 *
 * @param facts the facts, one of which a call may name
 */
export function describeMemoryCall(
  facts: readonly MemoryItem[],
  tool: string,
  args: JsonValue | undefined,
): string | null {
  const given = isJsonObject(args) ? args : {};
  const textOf = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  switch (tool) {
    case rememberId:
      return textOf('text') === '' ? 'Remember a fact' : `Remember “${shortText(textOf('text'))}”`;
    case forgetId: {
      const found = facts.find(({ id }) => id === textOf('id').split('@', 1)[0]);
      return found === undefined ? 'Forget a fact' : `Forget “${shortText(found.text)}”`;
    }
    case searchId:
      return 'Look at what is remembered';
    default:
      return null;
  }
}

/** Returns what a call that remembers a text changes, before and after; null for every other call. */
export function changeOfMemoryCall(
  tool: string,
  args: JsonValue | undefined,
): { readonly before: string; readonly after: string } | null {
  if (tool !== rememberId || !isJsonObject(args) || typeof args.text !== 'string') return null;
  return args.replaces === undefined ? { before: 'Nothing', after: args.text } : null;
}

/** Returns the tool that remembers a fact with the text as its only field, because the user decides about the text. */
export function withTextAlone(id: string, tool: Tool): Tool {
  const { properties } = tool.parameters as { readonly properties?: { readonly text?: unknown } };
  if (id !== rememberId) return tool;
  const parameters = { type: 'object', properties: { text: properties?.text }, required: ['text'] };
  return { ...tool, parameters } as Tool;
}
