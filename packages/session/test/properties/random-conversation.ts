import fc from 'fast-check';
import type { Message } from '@banister/session';
import type { MessagePart } from '@banister/provider';

/** A conversation, the id of the user message of its running turn, null between two turns, and that of the last message of the user. */
export interface RandomConversation {
  readonly messages: readonly Message[];
  readonly inputId: string | null;
  readonly writtenId: string;
}

/** The tag around a text that the user types: the library writes its own texts in such ones. */
type Form = 'note' | 'summary' | null;

/** One step of a turn; the number is a size. */
type Step =
  | {
      readonly kind: 'calls';
      readonly sizes: readonly number[];
      readonly says: boolean;
      /** The size of the words of the user behind the results, as imported histories have them; null for results alone. */
      readonly joined: number | null;
    }
  | { readonly kind: 'steer'; readonly size: number; readonly form: Form }
  | { readonly kind: 'continue'; readonly size: number };

const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4_000 }));
const form = fc.constantFrom<Form>(null, null, null, 'note', 'summary');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      sizes: fc.array(size, { minLength: 1, maxLength: 3 }),
      says: fc.boolean(),
      joined: fc.option(size, { freq: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('steer' as const), size, form }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('continue' as const), size }) },
);
const turn = fc.record({
  size,
  form,
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
    let writtenId = '';
    const text = (length: number): MessagePart => ({ type: 'text', text: 'abcd'.repeat(length) });
    const add = (role: Message['role'], ...parts: MessagePart[]) => {
      messages.push({ id: `m${messages.length}`, role, parts });
      return messages.at(-1)!.id;
    };
    const write = (length: number, form: Form, ...others: MessagePart[]) => {
      const words = 'abcd'.repeat(length);
      const text = form === null ? words : `<${form}>\n${words}\n</${form}>`;
      writtenId = add('user', { type: 'text', text }, ...others);
      return writtenId;
    };
    const join = (results: readonly MessagePart[], length: number) => {
      writtenId = add('user', ...results, text(length));
    };
    turns.forEach(({ size: length, form: typed, hasImage, steps, answer }, index) => {
      const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
      const input = write(length, typed, ...(hasImage ? [image] : []));
      const runs = isRunning && index === turns.length - 1;
      if (runs) inputId = input;
      for (const one of steps) addStep(one, { messages, add, write, join, text });
      if (!runs && answer !== null) add('assistant', text(answer));
    });
    return { messages, inputId, writtenId };
  });

/** A conversation that grows. */
interface Growing {
  readonly messages: readonly Message[];
  readonly add: (role: Message['role'], ...parts: MessagePart[]) => string;
  readonly write: (length: number, form: Form) => string;
  /** Adds words of the user behind results. */
  readonly join: (results: readonly MessagePart[], length: number) => void;
  readonly text: (length: number) => MessagePart;
}

function addStep(step: Step, { messages, add, write, join, text }: Growing): void {
  if (step.kind === 'steer') {
    write(step.size, step.form);
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
  const results = ids.map(
    (callId, index) =>
      ({
        type: 'tool-result',
        callId,
        outcome: 'success',
        content: [{ type: 'text', text: 'efgh'.repeat(step.sizes[index]!) }],
      }) as const,
  );
  if (step.joined === null) add('user', ...results);
  else join(results, step.joined);
}

/** Returns a message without results of tools: what stays of the words of the user where the calls are gone. */
export function wordsOf(message: Message): Message {
  return { ...message, parts: message.parts.filter(({ type }) => type !== 'tool-result') };
}

/** The messages that every request keeps: the message of the running turn, the last one of the user, and the calls that the model has not read. */
export function neededOf({ messages, inputId, writtenId }: RandomConversation): readonly Message[] {
  const input = messages.findIndex(({ id }) => id === inputId);
  const answer = messages.findLastIndex(({ role }) => role === 'assistant');
  const isOpen =
    inputId !== null && answer > input && messages[answer]!.parts.some(({ type }) => type === 'tool-call');
  const endsInResults = messages.at(-1)!.parts[0]!.type === 'tool-result';
  const from = isOpen ? answer : messages.length - (endsInResults ? 2 : 1);
  return messages.filter(({ id }, index) => id === inputId || id === writtenId || index >= from);
}
