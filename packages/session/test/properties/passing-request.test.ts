// The check of a request reads only what the hooks changed, and decides as a check of the whole request does.
import { deepFreeze } from '@banister/provider/internal/json/json';
import type { Message } from '@banister/session';
import type { MessagePart, ProviderRequest } from '@banister/provider';
import { validateHistory } from '@banister/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { PassingRequest } from '../../src/middleware/passing-request.js';
import { conversations } from './random-conversation.js';

type Messages = readonly Message[];
/** Changes a list of messages at a place of it, as a hook would. The name is one that nothing else has. */
type Edit = (messages: Messages, at: number, name: string) => Messages;

const written = (id: string): Message => ({ id, role: 'user', parts: [{ type: 'text', text: id }] });
const call = (id: string): readonly Message[] => [
  {
    id: `${id} calls`,
    role: 'assistant',
    parts: [{ type: 'tool-call', id, tool: 'docs.read', argumentsText: '{}', arguments: {} }],
  },
  {
    id: `${id} answers`,
    role: 'user',
    parts: [{ type: 'tool-result', callId: id, outcome: 'success', content: [] }],
  },
];
const withPart =
  (change: (part: MessagePart) => MessagePart): Edit =>
  (messages, at) =>
    messages.map((message, index) =>
      index === at ? { ...message, parts: message.parts.map(change) } : message,
    );

const edits: Readonly<Record<string, Edit>> = {
  list: (messages) => [...messages],
  copy: withPart((part) => ({ ...part })),
  text: withPart((part) => (part.type === 'text' ? { ...part, text: `${part.text}!` } : part)),
  signature: withPart((part) => (part.type === 'thinking' ? { ...part, signature: 'mine' } : part)),
  drop: (messages, at) => messages.toSpliced(at, 1),
  dropBefore: (messages, at) => messages.slice(at),
  swap: (messages, at) => messages.toSpliced(at, 2, ...messages.slice(at, at + 2).reverse()),
  write: (messages, at, name) => messages.toSpliced(at, 0, written(name)),
  call: (messages, at, name) => messages.toSpliced(at, 0, ...call(name)),
  callOfOld: (messages, at) => messages.toSpliced(at, 0, ...call('c1-0')),
};
const hooks = fc.array(fc.record({ edit: fc.constantFrom(...Object.keys(edits)), place: fc.nat(1_000) }), {
  maxLength: 4,
});

/** Whether a provider takes the messages, and whether each signature in them is that of the conversation. */
function isValid(messages: Messages): boolean {
  const parts = messages.flatMap((message) => message.parts);
  const isSigned = parts.every((part) => part.type !== 'thinking' || part.signature === 's');
  return isSigned && validateHistory(messages).length === 0 && messages.at(-1)?.role === 'user';
}

describe('a request that hooks changed', () => {
  test('is checked as a whole, keeps the messages that none of them changed, and is frozen', () => {
    fc.assert(
      fc.property(conversations, hooks, (conversation, list) => {
        const messages: Messages = deepFreeze([...conversation.messages, written('last')]);
        const original = deepFreeze({ system: 'Help.', messages, tools: [], idempotencyKey: 'key' });
        const passing = new PassingRequest(original);
        list.forEach(({ edit, place }, index) => {
          const given = passing.request.messages;
          const changed = edits[edit]!(given, given.length === 0 ? 0 : place % given.length, `new ${index}`);
          expect(passing.take({ ...passing.request, messages: changed })).toBe(true);
          expect(passing.request.messages).toBe(changed);
          expect(isFrozen(passing.request)).toBe(true);
        });
        const wanted = passing.request.messages;
        const checked = resultOf(passing);
        expect(checked !== null).toBe(isValid(wanted));
        if (checked === null) return;
        expect(checked).toEqual({ ...original, messages: wanted });
        expect(isFrozen(checked)).toBe(true);
        wanted.forEach((message, index) => {
          if (messages.includes(message)) expect(checked.messages[index]).toBe(message);
        });
      }),
      propertyRun('a request that hooks changed', 3_000),
    );
  });
});

function resultOf(passing: PassingRequest): ProviderRequest | null {
  try {
    return passing.checked();
  } catch {
    return null;
  }
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}
