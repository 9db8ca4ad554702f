import type { Message } from '@banister/session';
import type { ProviderRequest } from '@banister/provider';
import { expect, test } from 'vitest';
import { nextStep } from './next-step.js';
import { readAsk } from './read-ask.js';

type Part = string | { readonly added: string } | { readonly answer: string };

/**
 * Returns a conversation as the rules get it: the user's messages, and a call with its result for each round.
 */
function requestOf(...parts: readonly Part[]) {
  const messages = parts.flatMap((part, index): readonly Message[] => {
    const id = `m${index}`;
    if (typeof part === 'string') return [{ id, role: 'user', parts: [{ type: 'text', text: part }] }];
    if ('answer' in part) return [{ id, role: 'assistant', parts: [{ type: 'text', text: part.answer }] }];
    const call = {
      type: 'tool-call',
      id,
      tool: 'board.add_card',
      arguments: { column: 'Todo', title: part.added },
    } as const;
    const result = { type: 'tool-result', callId: id, outcome: 'success', content: [] } as const;
    return [
      { id, role: 'assistant', parts: [{ ...call, argumentsText: '' }] },
      { id: `${id}r`, role: 'user', parts: [result] },
    ] as unknown as readonly Message[];
  });
  return { system: '', messages, tools: [] } as unknown as ProviderRequest;
}

const stepAfter = (...parts: readonly Part[]) => nextStep(readAsk(requestOf(...parts)));

test('a message that joins is carried out before the plan continues, and the last answer reports both', () => {
  const asked = 'Add a card "A" to Todo; add a card "C" to Todo';
  expect(stepAfter(asked, { added: 'A' }, 'Also add a card "B" to Doing').calls).toMatchObject([
    { arguments: { title: 'B', column: 'Doing' } },
  ]);
  expect(
    stepAfter(asked, { added: 'A' }, 'Also add a card "B" to Doing', { added: 'B' }).calls,
  ).toMatchObject([{ arguments: { title: 'C' } }]);
  const last = stepAfter(
    asked,
    { added: 'A' },
    'Also add a card "B" to Doing',
    { added: 'B' },
    { added: 'C' },
  );
  expect(last.calls).toEqual([]);
  for (const title of ['A', 'B', 'C']) expect(last.text).toContain(`“${title}”`);
});

test('“stop” ends the plan, and “instead” replaces the rest of it', () => {
  const asked = 'Add a card "A" to Todo; add a card "C" to Todo';
  const stopped = stepAfter(asked, { added: 'A' }, 'That is enough');
  expect(stopped.calls).toEqual([]);
  expect(stopped.text).toBe('As you say, I stop here. Added “A” to Todo.');
  const other = 'Instead, add a card "B" to Todo';
  expect(stepAfter(asked, { added: 'A' }, other).calls).toMatchObject([{ arguments: { title: 'B' } }]);
  const last = stepAfter(asked, { added: 'A' }, other, { added: 'B' });
  expect(last).toMatchObject({ text: 'I left the rest, as you said. Added “B” to Todo.', calls: [] });
});

test('a message after an answer begins a new plan, even if it joined the turn of that answer', () => {
  expect(
    stepAfter('Add a card "A" to Todo', { added: 'A' }, { answer: 'Added “A”.' }, 'Add a card "B"').calls,
  ).toMatchObject([{ arguments: { title: 'B' } }]);
});

test('a message with a note begins a turn, although tool results precede it', () => {
  const request = requestOf('Add cards "A" and "B" to Todo', { added: 'A' }, 'Add a card "C"');
  const note = { type: 'text', text: '<note>\nThe user stopped the turn before.\n</note>' } as const;
  const messages = request.messages.map((message, index, { length }) =>
    index === length - 1 ? { ...message, parts: [note, ...message.parts] } : message,
  );
  const ask = readAsk({ ...request, messages });
  expect(ask).toMatchObject({ text: 'Add a card "C"', steers: [], rounds: [] });
});

test('a message begins a turn, although results of a stopped turn precede it, if the key states the round', () => {
  const stopped = ['Add cards "A" and "B" to Todo', { added: 'A' }] as const;
  const keyed = (round: number, ...parts: readonly Part[]) => ({
    ...requestOf(...stopped, ...parts),
    idempotencyKey: `turn-${round}`,
  });
  const next = 'Add a card "C" to Todo; add a card "E" to Todo';
  expect(readAsk(keyed(1, next))).toMatchObject({ text: next, steers: [], rounds: [] });
  const second = readAsk(keyed(2, next, { added: 'C' }));
  expect(second).toMatchObject({ text: next, steers: [], rounds: [[{}]] });
  const steered = readAsk(keyed(2, next, { added: 'C' }, 'Also add a card "D"'));
  expect(steered).toMatchObject({ text: next, steers: [{ text: 'Also add a card "D"', after: 1 }] });
});
