import type { Provider } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { answerOf } from './answer.js';
import { exhaustive } from './recordings.js';
import { sampleSize } from './sample-size.js';

const ROUNDS = exhaustive ? 20_000 : sampleSize(300);

/**
 * Plays recordings with a flipped byte, a lost event or an event twice. Whatever comes out, it comes out through the events
 * and errors of the port.
 *
 * @param createProvider a provider that gets its answers from this `fetch`
 */
export function describeCorruptions<Recording extends { readonly body: Buffer }>(
  recordings: readonly Recording[],
  createProvider: (recording: Recording, fetch: typeof globalThis.fetch) => Provider,
): void {
  describe('corrupted recordings', () => {
    const small = recordings.filter(({ body }) => body.length <= 16 * 1024);

    test(`${ROUNDS} of them never hang, never throw but our errors, and never touch a prototype`, async () => {
      for (let seed = 1; seed <= ROUNDS; seed++) {
        const random = createRandom(seed);
        const recording = small[Math.floor(random() * small.length)]!;
        const bytes = corrupt(recording.body, random);
        const fetch = () =>
          Promise.resolve(
            new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } }),
          );
        const answer = await answerOf(createProvider(recording, fetch));
        // answerOf has let through nothing but our errors, and events in an order that the port allows.
        expect([seed, typeof answer.text]).toEqual([seed, 'string']);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    }, 600_000);
  });
}

/** A small generator of numbers in [0, 1) that gives the same ones every time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function corrupt(body: Buffer, random: () => number): Buffer {
  const kind = Math.floor(random() * 3);
  if (kind === 0) {
    const flipped = Buffer.from(body);
    const at = Math.floor(random() * body.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return flipped;
  }
  const events = body.toString('latin1').split(/(?<=\n\n)/);
  const at = Math.floor(random() * events.length);
  events.splice(at, kind === 1 ? 1 : 0, ...(kind === 1 ? [] : [events[at] ?? '']));
  return Buffer.from(events.join(''), 'latin1');
}
