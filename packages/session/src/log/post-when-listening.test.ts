import type { JsonObject } from '@banister/provider';
import { expect, test } from 'vitest';
import { postWhenListening } from './post-when-listening.js';
import type { LogChannel } from './session-log.js';

/** A channel that listens when the test says so, and the messages that were posted to it. */
function heldChannel() {
  const posted: JsonObject[] = [];
  const readers: { listen(): void; fail(error: Error): void }[] = [];
  let listening = Promise.resolve();
  const inner: LogChannel = {
    get listening() {
      return listening;
    },
    post: (message) => void posted.push(message),
    messages() {
      listening = new Promise((listen, fail) => readers.push({ listen, fail }));
      return (async function* () {})();
    },
  };
  return { channel: postWhenListening(inner), posted, readers };
}

const numbers = (posted: readonly JsonObject[]) => posted.map(({ number }) => number);
const soon = () => new Promise<void>((done) => setTimeout(done));

test('served H6 messages wait until the end listens, in the order of the calls, and go at once from then on', async () => {
  const { channel, posted, readers } = heldChannel();
  channel.messages(new AbortController().signal);
  for (const number of [1, 2, 3]) channel.post({ number });
  await soon();
  expect(posted).toEqual([]);
  readers[0]!.listen();
  await channel.listening;
  channel.post({ number: 4 });
  expect(numbers(posted)).toEqual([1, 2, 3, 4]);
});

test('served H6 a message that waits is a copy: changing its object later does not change the message', async () => {
  const { channel, posted, readers } = heldChannel();
  channel.messages(new AbortController().signal);
  const message = { inner: { number: 1 } };
  channel.post(message);
  message.inner.number = 2;
  readers[0]!.listen();
  await soon();
  expect(posted).toEqual([{ inner: { number: 1 } }]);
});

test('served H6 a message that is not JSON is refused at the call', () => {
  const { channel } = heldChannel();
  channel.messages(new AbortController().signal);
  const circle: { self?: JsonObject } = {};
  circle.self = circle as JsonObject;
  expect(() => channel.post(circle as JsonObject)).toThrow(TypeError);
});

test('served H6 messages that wait when the reader ends are not sent, and those of the next reader wait anew', async () => {
  const { channel, posted, readers } = heldChannel();
  const first = new AbortController();
  channel.messages(first.signal);
  channel.post({ number: 1 });
  first.abort();
  channel.post({ number: 2 });
  channel.messages(new AbortController().signal);
  channel.post({ number: 3 });
  readers[0]!.listen();
  await soon();
  expect(numbers(posted)).toEqual([2]);
  readers[1]!.listen();
  await soon();
  expect(numbers(posted)).toEqual([2, 3]);
});

test('served H6 no message is sent if the answers cannot arrive', async () => {
  const { channel, posted, readers } = heldChannel();
  channel.messages(new AbortController().signal);
  channel.post({ number: 1 });
  readers[0]!.fail(new Error('There is no connection.'));
  await soon();
  expect(posted).toEqual([]);
});

test('a channel without a reader, and one whose reader has ended before it began, posts at once', () => {
  const { channel, posted } = heldChannel();
  channel.post({ number: 1 });
  channel.messages(AbortSignal.abort());
  channel.post({ number: 2 });
  expect(numbers(posted)).toEqual([1, 2]);
});
