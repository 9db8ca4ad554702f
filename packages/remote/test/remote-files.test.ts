// Files of a session that runs elsewhere.
import { beforeAll, describe, expect, it } from 'vitest';
import { createAgentSession, isAgentSessionError } from '@banister/session';
import { say, scriptedProvider, settle } from '@banister/testing';
import { hostSession, preloadBranches, remote } from './remote.js';

const notes = () => new File(['Hello'], 'notes.txt');

beforeAll(async () => {
  await preloadBranches();
  // The code that reads files is loaded late, and a virtual clock cannot wait for a dynamic import.
  const session = createAgentSession({ provider: scriptedProvider([], { otherwise: 'Yes.' }) });
  await session.send({ text: '', files: [notes()] });
  await session.dispose();
});

describe('a remote session', () => {
  it("reads its files itself, and the host's request contains them", async () => {
    const host = hostSession([say('Seen.'), say('Edited.'), say('Queued.')]);
    const { session } = remote(host.transport, host.clock);
    await settle();
    const sent = session.send({ text: 'Look', files: [notes()] });
    expect([session.isRunning.value, session.phase.value]).toEqual([true, 'preparing']);
    expect((await sent).text).toBe('Seen.');
    await settle();
    expect(session.attachments.value).toEqual(host.session.attachments.value);
    const { id, input } = session.turns.value[0]!;
    const files = input.parts.filter((part) => part.type === 'attachment');
    await session.edit(id, { text: 'Again', files });
    const queued = session.enqueue({ text: 'And', files });
    await settle();
    await host.clock.advance(1_000);
    expect(await queued).toBe('completed');
    const texts = host.provider.requests.map(({ messages }) => messages.at(-1)!.parts.at(-1));
    const text = '<file name="notes.txt">\nHello\n</file>';
    expect(texts).toEqual([1, 2, 3].map(() => ({ type: 'text', text })));
    await session.dispose();
    await host.session.dispose();
  });

  it('refuses a file that cannot be attached before it sends anything, and is idle again', async () => {
    const host = hostSession([]);
    const { session } = remote(host.transport, host.clock);
    await settle();
    const error: unknown = await session
      .send({ text: 'Look', files: [new File([], 'empty.txt')] })
      .catch((thrown: unknown) => thrown);
    expect(isAgentSessionError(error) && error.code).toBe('unreadable-attachment');
    expect(session.isRunning.value).toBe(false);
    expect(host.session.turns.value).toEqual([]);
    await session.dispose();
    await host.session.dispose();
  });
});
