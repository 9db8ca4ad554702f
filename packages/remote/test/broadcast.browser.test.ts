// A session in another page, with `broadcast` over IndexedDB and the browser's channel.
import { expect, it, vi } from 'vitest';
import { createAgentSession } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { broadcast, remoteSession } from '@banister/remote';
import { say, scriptedProvider } from '@banister/testing';

it('shows a session of the browser over its log, and sends commands to it', async () => {
  const name = `remote-${crypto.randomUUID()}`;
  const provider = scriptedProvider([say(['One', '.']), say('Two.')]);
  const writer = createAgentSession({ provider, id: 'chat-1', log: indexedDbLog({ name }) });
  await writer.send('1');
  const session = remoteSession(broadcast(indexedDbLog({ name }), 'chat-1'));
  expect((await session.send('2')).text).toBe('Two.');
  await vi.waitFor(() => expect(session.state).toEqual(writer.state), { timeout: 30_000 });
  expect(session.turns.value).toHaveLength(2);
  expect([session.connection.value, session.link.value.role]).toEqual(['online', 'follower']);
  globalThis.dispatchEvent(new Event('online'));
  await session.dispose();
  await writer.dispose();
});
