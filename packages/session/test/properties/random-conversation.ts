import fc from 'fast-check';
import type { Message, MessagePart } from '@handrail/session';

/** A conversation, and the id of the user message of its running turn; null between two turns. */
export interface RandomConversation {
  readonly messages: readonly Message[];
  readonly inputId: string | null;
}

/** One step of a turn; the number is a size. */
type Step =
  | { readonly kind: 'calls'; readonly sizes: readonly number[]; readonly says: boolean }
  | { readonly kind: 'steer'; readonly size: number }
  | { readonly kind: 'continue'; readonly size: number };

const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      sizes: fc.array(size, { minLength: 1, maxLength: 3 }),
      says: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('steer' as const), size }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('continue' as const), size }) },
);
const turn = fc.record({
  size,
  hasImage: fc.boolean(),
  steps: fc.array(step, { maxLength: 5 }),
  /** The size of the final answer; null where the turn failed. */
  answer: fc.option(size),
});

/** Conversations as sessions make them: with failed turns, long turns, messages that steer, and notes that continue a turn. */
export const conversations: fc.Arbitrary<RandomConversation> = fc
  .record({ turns: fc.array(turn, { minLength: 1, maxLength: 6 }), isRunning: fc.boolean() })
  .map(({ turns, isRunning }) => {
    const messages: Message[] = [];
    let inputId: string | null = null;
    const text = (length: number): MessagePart => ({ type: 'text', text: 'abcd'.repeat(length) });
    const add = (role: Message['role'], ...parts: MessagePart[]) => {
      messages.push({ id: `m${messages.length}`, role, parts });
      return messages.at(-1)!.id;
    };
    turns.forEach(({ size: length, hasImage, steps, answer }, index) => {
      const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
      const input = add('user', text(length), ...(hasImage ? [image] : []));
      const runs = isRunning && index === turns.length - 1;
      if (runs) inputId = input;
      for (const one of steps) addStep(one, messages, add, text);
      if (!runs && answer !== null) add('assistant', text(answer));
    });
    return { messages, inputId };
  });

function addStep(
  step: Step,
  messages: readonly Message[],
  add: (role: Message['role'], ...parts: MessagePart[]) => string,
  text: (length: number) => MessagePart,
): void {
  if (step.kind === 'steer') {
    add('user', text(step.size));
    return;
  }
  if (step.kind === 'continue') {
    add('assistant', text(step.size));
    add('user', { type: 'text', text: '<note>\nGo on.\n</note>' });
    return;
  }
  const ids = step.sizes.map((_size, index) => `c${messages.length}-${index}`);
  const thinking = { type: 'thinking', text: 'Hm.', signature: 's', signedBy: 'scripted' } as const;
  add(
    'assistant',
    ...(step.says ? [thinking, text(3)] : []),
    ...ids.map(
      (id) =>
        ({
          type: 'tool-call',
          id,
          tool: 'docs.read',
          argumentsText: '{"a":1}',
          arguments: { a: 1 },
        }) as const,
    ),
  );
  add(
    'user',
    ...ids.map(
      (callId, index) =>
        ({
          type: 'tool-result',
          callId,
          outcome: 'success',
          content: [{ type: 'text', text: 'efgh'.repeat(step.sizes[index]!) }],
        }) as const,
    ),
  );
}

/** The messages that every request keeps: the message of the running turn, the last one of the user, and the calls that the model has not read. */
export function neededOf({ messages, inputId }: RandomConversation): readonly Message[] {
  const isNote = (message: Message) => JSON.stringify(message.parts).includes('<note>');
  const isWritten = (message: Message) =>
    message.role === 'user' && message.parts[0]!.type !== 'tool-result' && !isNote(message);
  const input = messages.findIndex(({ id }) => id === inputId);
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const isOpen =
    inputId !== null && answer > input && messages[answer]!.parts.some(({ type }) => type === 'tool-call');
  const endsInResults = messages.at(-1)!.parts[0]!.type === 'tool-result';
  const from = isOpen ? answer : messages.length - (endsInResults ? 2 : 1);
  const written = messages.findLast(isWritten);
  return messages.filter((one, index) => one.id === inputId || one === written || index >= from);
}
