// A remote session behaves like a local session: one suite for the local session, for a session that takes over a log, and for each transport.
import { createAgentSession, type SessionOptions } from '@banister/session';
import { broadcast, direct, remoteSession, type Transport } from '@banister/remote';
import { agentSessionConformance, memoryLog, type VirtualClock } from '@banister/testing';
import { beforeAll, describe, it } from 'vitest';
import { copying, preloadBranches } from './remote.js';

beforeAll(preloadBranches);

const runner = { describe, it };

/** The differences between a local and a remote session. */
const skip = {
  'answer-is-a-fact': 'the answer is on its way when respond returns; its promise resolves when it arrived',
  'dispose-rolls-back': 'dispose detaches: the session elsewhere goes on, with its turn',
};

agentSessionConformance(
  'createAgentSession',
  (options) => ({ session: createAgentSession(options) }),
  runner,
);

agentSessionConformance(
  'createAgentSession, beside the session that writes the log',
  async (options, clock) => {
    const logged = { ...options, id: 'chat-1', log: memoryLog({ clock }) };
    const writer = createAgentSession(logged);
    while (!writer.link.value.open) await clock.advance(10);
    return { session: createAgentSession(logged), dispose: () => writer.dispose() };
  },
  runner,
  { skip: { 'invalid-input': 'with its first command the session becomes the writer of an idle log' } },
);

/** A remote session of a host with these options. */
function elsewhere(
  options: SessionOptions,
  clock: VirtualClock,
  transportTo: (host: ReturnType<typeof createAgentSession>) => Transport,
) {
  const host = createAgentSession(options);
  const { scheduler } = options.ports!;
  return {
    session: remoteSession(transportTo(host), { ports: { clock, scheduler } }),
    dispose: () => host.dispose(),
  };
}

agentSessionConformance(
  'remoteSession(direct(session))',
  (options, clock) => elsewhere(options, clock, (host) => copying(direct(host, { ports: { clock } }))),
  runner,
  { skip },
);

agentSessionConformance(
  'remoteSession(broadcast(log, id))',
  (options, clock) => {
    const log = memoryLog({ clock });
    return elsewhere({ ...options, id: 'chat-1', log }, clock, () => broadcast(log, 'chat-1'));
  },
  runner,
  { skip },
);
