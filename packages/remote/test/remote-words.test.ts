// A remote session has its own words.
import { expect, it } from 'vitest';
import { confirmTools, immediate, type AgentSessionError } from '@banister/session';
import { createWords } from '@banister/session/words';
import { remoteSession } from '@banister/remote';
import { callTools, fail, settle } from '@banister/testing';
import { hostSession } from './remote.js';

const publish = {
  name: 'publish',
  title: 'Publish the board',
  description: 'Makes the board public.',
  parameters: { type: 'object' },
  execute: () => 'It is public.',
} as const;

it('a remote session shows titles of tools that it does not have, in its own words', async () => {
  const host = hostSession([callTools({ tool: 'board.publish' }), fail('auth')], {
    domains: [{ id: 'board', tools: [publish] }],
    guards: [confirmTools('board.publish')],
  });
  const words = createWords({
    errors: { auth: 'Der Schlüssel gilt nicht.' },
    questions: { tool: ({ name }) => `„${name}“ ausführen?` },
  });
  const ports = { clock: host.clock, scheduler: immediate() };
  const far = remoteSession(host.transport, { words, ports });
  await settle();
  const sent = far.send('Go').catch((error: AgentSessionError) => words.error(error));
  await settle();
  expect(far.pendingConfirmation.value).toMatchObject({
    reason: '„Publish the board“ ausführen?',
    call: { title: 'Publish the board' },
  });
  expect(host.session.pendingConfirmation.value?.reason).toBe('The agent wants to run “Publish the board”.');
  await far.pendingConfirmation.value!.approve();
  expect(await sent).toBe('Der Schlüssel gilt nicht.');
  expect(far.lastError.value?.message).toBe('Der Schlüssel gilt nicht.');
  for (const session of [far, host.session]) await session.dispose();
});
