import type { Transport } from '@banister/remote';
import type { VirtualClock } from '@banister/testing';
import { jsonCopy } from './remote.js';

/** A transport that loses, delays, repeats and cuts messages, until it is healed. */
export interface FaultyTransport extends Transport {
  /** Ends the faults. */
  heal(): void;
}

/** @param random returns numbers in [0, 1) */
export function faultyTransport(
  inner: Transport,
  clock: VirtualClock,
  random: () => number,
): FaultyTransport {
  let isHealed = false;
  const happens = (share: number) => !isHealed && random() < share;
  const delay = () =>
    happens(0.4)
      ? new Promise<void>((resolve) => clock.schedule(resolve, Math.ceil(random() * 300)))
      : Promise.resolve();
  const cut = (share: number) => {
    if (happens(share)) throw new Error('The line is cut.');
  };
  return {
    async *read(after, signal) {
      const line = new AbortController();
      const end = () => line.abort();
      signal.addEventListener('abort', end);
      try {
        await delay();
        cut(0.2);
        for await (const item of inner.read(after, line.signal)) {
          await delay();
          cut(0.08);
          if (happens(0.03)) {
            // A stream that lost an item ends soon, because nothing else would show the reader that the
            // newest item was lost.
            clock.schedule(end, random() * 500);
            continue;
          }
          yield jsonCopy(item);
          while (happens(0.1)) yield jsonCopy(item);
        }
      } finally {
        signal.removeEventListener('abort', end);
      }
    },
    async command(message, signal) {
      await delay();
      cut(0.15);
      // The command arrives twice, the second time late.
      if (happens(0.15)) clock.schedule(() => void inner.command(jsonCopy(message), signal), random() * 500);
      const answer = await inner.command(jsonCopy(message), signal);
      await delay();
      cut(0.15);
      return jsonCopy(answer);
    },
    heal: () => {
      isHealed = true;
    },
  };
}
