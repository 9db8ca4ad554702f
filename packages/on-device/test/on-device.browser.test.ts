import { describe, expect, it } from 'vitest';
import { onDevice } from '../src/index.js';
import { onDeviceConformance } from './conformance.js';
import { describeTurns } from './turns.js';

// The same suites in a real browser, with its own streams, signals and exceptions.

onDeviceConformance('on-device in a browser', 'closed', { describe, it });
describeTurns({ describe, it }, expect);

describe('the browser’s own model', () => {
  it('states its availability, and an answer without it fails with a reason', async () => {
    const provider = onDevice({ languages: ['en'] });
    const availability = await provider.availability();
    expect(['unavailable', 'downloadable', 'downloading', 'available']).toContain(availability);
    if (availability === 'available') return;
    const request = { system: '', messages: [], tools: [], idempotencyKey: 'k' };
    const reading = (async () => {
      for await (const event of provider.stream(request, new AbortController().signal)) void event;
    })();
    await expect(reading).rejects.toMatchObject({
      code: availability === 'unavailable' ? 'unsupported' : 'model',
    });
  });
});
