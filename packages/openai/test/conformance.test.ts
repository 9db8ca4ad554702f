import { describe, it } from 'vitest';
import { providerConformance } from '@banister/testing';
import { openai } from '../src/index.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { scriptOf } from './conformance-script.js';

// The suite that every provider passes, with a server of this API behind it.

const secret = 'sk-conformance-0123456789';

providerConformance(
  'openai',
  async (scenario) => {
    const server = await startByteServer(scriptOf(scenario.answer));
    return {
      provider: openai({ model: 'm', baseURL: server.v1, apiKey: secret }),
      requests: () => server.arrivals.length,
      openConnections: () => server.openConnections(),
      secret,
      dispose: async () => server[Symbol.asyncDispose](),
    };
  },
  { describe, it },
  { patienceMs: 60_000 },
);
