import { identityOf, type ProviderEvent } from '@banister/provider';
import { createVirtualClock, gate, settle } from '@banister/testing';
import { expect, test } from 'vitest';
import { formatFor } from './answer-format.js';
import { AnswerStream, type AnswerEnd } from './answer-stream.js';

test('an answer that ends while an event is being sealed sends nothing after its end', async () => {
  const held = gate();
  const ends: AnswerEnd[] = [];
  const clock = createVirtualClock();
  async function* events(): AsyncGenerator<ProviderEvent, void> {
    yield { type: 'opaque', data: 'late' };
  }
  const { body } = new AnswerStream({
    format: formatFor(new Headers()),
    clock,
    keepAliveMs: 1e6,
    maxAnswerMs: 1_000,
    isExposed: false,
    clientGone: new AbortController().signal,
    ask: () => ({ events: events(), owner: () => identityOf({ id: 'p', model: 'm' }) }),
    seal: (event) => held.pass().then(() => event),
    onEnd: (end) => void ends.push(end),
  });
  await clock.advance(1_000);
  held.open();
  await settle();
  const text = await new Response(body).text();
  expect(text).toContain('"timeout"');
  expect(text).not.toContain('late');
  expect(ends).toMatchObject([{ status: 'failed' }]);
});
