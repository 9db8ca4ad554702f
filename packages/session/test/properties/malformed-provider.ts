import type { Provider } from '@banister/session';

const call = { type: 'tool-call', index: 0, id: 'a', tool: 'app.act', delta: '{"n":1}' };
const calls = [call, { type: 'finish', reason: 'tool-calls' }];
export const says = [
  { type: 'text', delta: '{"n":1}' },
  { type: 'finish', reason: 'stop' },
];

export async function* streamed(events: readonly unknown[]): AsyncIterable<never> {
  for (const event of events) yield event as never;
}

/** Returns a provider that answers once with these events, then with a call, then with a text. */
export function providerOf(first: (() => AsyncIterable<never>) | null, more: object = {}): Provider {
  let requests = 0;
  return {
    id: 'p',
    model: 'm',
    capabilities: { images: true, pdfs: true, structuredOutput: true },
    stream() {
      const number = requests++;
      if (first !== null && number === 0) return first();
      return streamed(number === (first === null ? 0 : 1) ? calls : says);
    },
    ...more,
  } as Provider;
}
