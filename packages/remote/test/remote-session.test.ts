// Section 12 of the contract, elsewhere: the same session over a transport.
import { expect, it } from 'vitest';
import { say, settle } from '@handrail/testing';
import { hostSession, remote } from './remote.js';

it('has the state of the session, and its commands are carried out there', async () => {
  const host = hostSession([say(['Hel', 'lo.'])]);
  const { session, operations } = remote(host.transport, host.clock);
  expect(session.connection.value).toBe('connecting');
  expect(session.link.value).toEqual({ role: 'follower', open: false, saved: true });
  await settle();
  expect(session.connection.value).toBe('online');
  expect(session.link.value).toEqual({ role: 'follower', open: true, saved: true });
  const sent = session.send('Hi');
  expect([session.isRunning.value, session.phase.value, session.state.sequence]).toEqual([
    true,
    'preparing',
    0,
  ]);
  expect(await sent).toMatchObject({ status: 'completed', text: 'Hello.' });
  await settle();
  expect(session.state).toEqual(host.session.state);
  expect(operations.map(({ type }) => type)).toContain('completed');
  await session.dispose();
  await host.session.dispose();
  expect(host.clock.pending).toBe(0);
});
