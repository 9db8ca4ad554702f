// Many readers of one session elsewhere.
import { expect, it } from 'vitest';
import { direct } from '@banister/remote';
import { gate, say, settle } from '@banister/testing';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { hostSession, isLevel, remote } from './remote.js';

it('F14 one slow follower does not delay forty-nine other followers, and all get every operation', async () => {
  const pieces = Array.from({ length: sampleSize(9_900) }, (_, index) => `${index} `);
  const host = hostSession([say(pieces)]);
  const line = direct(host.session, { ports: { clock: host.clock } });
  const slow = gate();
  let items = 0;
  const late = remote(
    {
      ...line,
      async *read(after, signal) {
        for await (const item of line.read(after, signal)) {
          items++;
          yield item;
          await slow.pass();
        }
      },
    },
    host.clock,
  );
  const others = Array.from({ length: 49 }, () => remote(line, host.clock));
  await settle();
  await host.session.send('Hi');
  while (!others.every(({ session }) => isLevel(session, host.session))) await settle();
  expect([items, late.session.state.sequence]).toEqual([1, 0]);
  slow.open();
  while (!isLevel(late.session, host.session)) await settle();
  for (const { session, operations } of [late, ...others]) {
    expect(operations.length).toBe(host.session.state.sequence);
    expect(session.state).toEqual(host.session.state);
  }
  for (const { session } of [late, ...others]) await session.dispose();
  await host.session.dispose();
  expect(host.clock.pending).toBe(0);
});
