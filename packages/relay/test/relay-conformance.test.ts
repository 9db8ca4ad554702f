import { describe, it } from 'vitest';
import { openai } from '@banister/openai';
import { providerConformance } from '@banister/testing';
import { scriptOf } from '../../openai/test/conformance-script.js';
import { startByteServer } from '../../../test/kit/byte-server.js';
import { anyUser, serveGateway } from '../../../test/kit/served-gateway.js';
import { relay } from '../src/index.js';

// The suite that every provider passes, with the relay, a gateway on a socket, the official client behind it,
// and a server of its API.

const secret = 'sk-conformance-0123456789';

providerConformance(
  'relay',
  async (scenario) => {
    const upstream = await startByteServer(scriptOf(scenario.answer));
    const provider = openai({ model: 'm', baseURL: upstream.v1, apiKey: secret });
    const gateway = await serveGateway({ provider, ...anyUser });
    return {
      provider: relay(gateway.url),
      requests: () => upstream.arrivals.length,
      openConnections: () => upstream.openConnections(),
      secret,
      async dispose() {
        await gateway[Symbol.asyncDispose]();
        await upstream[Symbol.asyncDispose]();
      },
    };
  },
  { describe, it },
  { patienceMs: 60_000 },
);
