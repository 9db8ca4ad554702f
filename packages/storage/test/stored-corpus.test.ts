// Logs that earlier releases stored can always be opened. `CORPUS=write` writes the logs of this release.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createAgentSession, type SessionState } from '@banister/session';
import { readLog } from '@banister/session/log';
import { importLog } from '@banister/storage/jsonl';
import { checkOrder, memoryLog, say, scriptedProvider } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { boardDomain, lives } from './corpus/lives.js';
import { opened } from './faulty-turns.js';

const folder = new URL('corpus/v1/', import.meta.url);

if (process.env['CORPUS'] === 'write') {
  await mkdir(folder, { recursive: true });
  for (const [name, live] of Object.entries(lives))
    await writeFile(new URL(`${name.replaceAll(' ', '-')}.jsonl`, folder), await live());
}

const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
const logs = await Promise.all(
  names.map(
    async (name) => [name.slice(0, -'.jsonl'.length), await readFile(new URL(name, folder), 'utf8')] as const,
  ),
);

async function imported(lines: string) {
  const log = memoryLog();
  await importLog(log, 'chat', lines);
  return log;
}

/** Returns a state as text, for a file that must never change. */
function inWords(state: SessionState): string {
  const { conversation, turns, liveTurn, undoEntries, queue, pendingConfirmations, interrupted } = state;
  return [
    ...conversation.messages.map(({ id, role, parts }) => `${id} ${role}: ${JSON.stringify(parts)}`),
    ...[...turns, ...(liveTurn === null ? [] : [liveTurn])].map(
      ({ id, parentId, status }) => `${id} after ${parentId}: ${status}`,
    ),
    ...undoEntries.map(
      ({ turnId, state: own, offPath = false }) =>
        `undo of ${turnId}: ${own}${offPath ? ', off the path' : ''}`,
    ),
    ...queue.map(({ id }) => `waits: ${id}`),
    ...pendingConfirmations.map(({ id, call }) => `asked: ${id}, ${call.tool}`),
    `interrupted: ${JSON.stringify(interrupted)}`,
    '',
  ].join('\n');
}

describe('a log that a release with records of version 1 stored', () => {
  it.each(logs)(
    'D9 is read without a problem, with the same messages, turns and effects: %s',
    async (name, lines) => {
      const loaded = await (await imported(lines)).load('chat');
      const { state, problem } = readLog(loaded);
      expect(problem).toBeNull();
      if (loaded.snapshot === null)
        expect(checkOrder(loaded.records.flatMap(({ operations }) => operations))).toEqual([]);
      await expect(inWords(state)).toMatchFileSnapshot(`corpus/v1/${name}.txt`);
    },
  );

  it.each(logs)('D9 is opened, and continues with a next turn: %s', async (_name, lines) => {
    const log = await imported(lines);
    const session = createAgentSession({
      provider: scriptedProvider([], { otherwise: say('Next.') }),
      domains: [boardDomain()],
      id: 'chat',
      log,
    });
    await opened(session);
    expect(session.link.value).toEqual({ role: 'writer', open: true, saved: true });
    if (session.interrupted.value !== null) await session.abandon();
    expect((await session.send('Go on')).text).toBe('Next.');
    while (session.canUndo.value) await session.undo();
    await session.dispose();
    expect(readLog(await log.load('chat')).problem).toBeNull();
  });
});
