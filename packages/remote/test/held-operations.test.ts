// How much memory the slow readers of one remote session take.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { direct } from '@banister/remote';
import { say, settle } from '@banister/testing';
import { hostSession } from './remote.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it('F14 fifty stalled readers keep at most the last 10,000 operations, which they share, until a snapshot replaces them', async () => {
  const count = 25_000;
  const host = hostSession([say(Array.from({ length: count }, (_, index) => `${index} `))]);
  const emitted: WeakRef<object>[] = [];
  host.session.operations$.subscribe((operation) => emitted.push(new WeakRef(operation)));
  const kept = async () => {
    await settle();
    await new Promise((resolve) => setTimeout(resolve));
    collect();
    return emitted.filter((operation) => operation.deref() !== undefined).length;
  };
  const line = direct(host.session, { ports: { clock: host.clock } });
  const ends = Array.from({ length: 50 }, () => new AbortController());
  const readers = ends.map(({ signal }) => line.read(0, signal)[Symbol.asyncIterator]());
  for (const reader of readers) await reader.next();
  await host.session.send('Hi');
  expect(emitted.length).toBeGreaterThan(count);
  const standing = await kept();
  expect(standing).toBeGreaterThan(1_000);
  expect(standing).toBeLessThanOrEqual(10_100);
  // One snapshot replaces everything that a reader has missed.
  for (const reader of readers) {
    const { value } = await reader.next();
    expect(value).toMatchObject({ revision: host.session.state.sequence });
  }
  expect(await kept()).toBeLessThan(100);
  for (const end of ends) end.abort();
  await Promise.all(readers.map((reader) => reader.next()));
  await host.session.dispose();
});
