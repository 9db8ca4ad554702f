import 'fake-indexeddb/auto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgentSession, defineDomain, defineTool, type SessionLog } from '@handrail/session';
import { indexedDbLog } from '@handrail/storage';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import { openDB } from 'idb';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const prose = ['log', 'tools', 'undo', 'state', 'operations']
  .map((page) => readFileSync(path.join(root, `docs/${page}.md`), 'utf8'))
  .join(' ')
  .split(/\s+/);

/** Returns a function that returns the next words of the documentation. */
function reader() {
  let at = 0;
  return (count: number) => {
    at = at + count > prose.length ? count : at + count;
    return prose.slice(at - count, at).join(' ');
  };
}

/** The bytes of all rows, and the number of records, at one moment. */
async function stored(name: string) {
  const database = await openDB(name);
  const transaction = database.transaction(['records', 'snapshots']);
  const [records = [], snapshots = []] = await Promise.all(
    ['records', 'snapshots'].map((store) => transaction.objectStore(store).getAll()),
  );
  database.close();
  const rows = [...records, ...snapshots] as { readonly bytes: Uint8Array }[];
  return { bytes: rows.reduce((sum, row) => sum + row.bytes.length, 0), records: records.length };
}

const add = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  undo: { revert() {} },
  async execute({ title }, context) {
    await context.undo({ description: `Added ${title}`, data: { title } });
    return { title };
  },
});

test.each(['text', 'calls'])(
  'a chat of %s takes at most 1.3 times the bare JSON of its messages right after a snapshot, and 2.5 times at any time',
  async (kind) => {
    const name = `size-${kind}`;
    const read = reader();
    const pieces = (count: number) => read(count).match(/.{1,20}/g)!;
    const answers = Array.from({ length: 80 }, () =>
      kind === 'text'
        ? [say(pieces(200))]
        : [callTools({ tool: 'board.add', args: { title: read(8) } }), say(pieces(60))],
    ).flat();
    const domains = [defineDomain({ id: 'board', tools: [add] })];
    const provider = scriptedProvider(answers);
    const inner = indexedDbLog({ name });
    let storing: Promise<void> | undefined;
    const log: SessionLog = { ...inner, snapshot: (...args) => (storing = inner.snapshot(...args)) };
    const session = createAgentSession({ provider, id: 'chat', log, domains });
    const after: number[] = [];
    const always: number[] = [];
    for (let turn = 0; turn < 80; turn++) {
      await session.send(read(20));
      // The snapshot of a turn begins behind its end.
      await new Promise((resolve) => setTimeout(resolve));
      await storing;
      const bare = JSON.stringify(session.conversation.value.messages).length;
      const { bytes, records } = await stored(name);
      if (records === 0) after.push(bytes / bare);
      // A short chat is mostly what surrounds its messages.
      if (bare > 10_000) always.push(bytes / bare);
    }
    await session.dispose();
    expect(after.length).toBeGreaterThan(0);
    expect(Math.max(...after)).toBeLessThan(1.3);
    expect(Math.max(...always)).toBeLessThan(2.5);
  },
);
