import 'fake-indexeddb/auto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgentSession, defineDomain, defineTool, type SessionLog } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { callTools, say, scriptedProvider, type AnswerSource } from '@banister/testing';
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

/** Returns the bytes of all rows, and the number of records, at one moment. */
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

const kinds = {
  words: { asked: 1, answer: () => [say('Yes.')] },
  lines: { asked: 8, answer: (read) => [say(read(12))] },
  text: { asked: 20, answer: (read) => [say(read(200).match(/.{1,20}/g)!)] },
  calls: {
    asked: 20,
    answer: (read) => [callTools({ tool: 'board.add', args: { title: read(8) } }), say(read(60))],
  },
  batches: {
    asked: 6,
    answer: (read) => [
      callTools(...Array.from({ length: 6 }, () => ({ tool: 'board.add', args: { title: read(3) } }))),
      say(read(6)),
    ],
  },
} satisfies Record<
  string,
  { asked: number; answer(read: (count: number) => string): readonly AnswerSource[] }
>;

/**
 * A chat of 2,000 characters consists mostly of its messages. In a shorter chat, the fixed rows of a turn
 * count too.
 */
const most = (times: number, bare: number, fixed: number) => times * bare + (bare < 2_000 ? fixed : 0);

test.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  'a chat of %s takes at most 1.3 times the JSON of its messages directly after a snapshot, and 2.5 times after any turn',
  async (kind) => {
    const name = `size-${kind}`;
    const read = reader();
    const { asked, answer } = kinds[kind];
    const answers = Array.from({ length: 80 }, () => answer(read)).flat();
    const domains = [defineDomain({ id: 'board', tools: [add] })];
    const provider = scriptedProvider(answers);
    const inner = indexedDbLog({ name });
    let storing: Promise<void> | undefined;
    let snapshots = 0;
    const log: SessionLog = {
      ...inner,
      snapshot: (...args) => {
        snapshots++;
        return (storing = inner.snapshot(...args));
      },
    };
    const session = createAgentSession({ provider, id: 'chat', log, domains });
    for (let turn = 0; turn < 80; turn++) {
      await session.send(read(asked));
      // The snapshot of a turn begins after the turn has ended.
      await new Promise((resolve) => setTimeout(resolve));
      await storing;
      const bare = JSON.stringify(session.conversation.value.messages).length;
      const { bytes, records } = await stored(name);
      if (records === 0) expect(bytes, `bytes for ${bare}`).toBeLessThan(most(1.3, bare, 256));
      expect(bytes, `bytes for ${bare}`).toBeLessThan(most(2.5, bare, 4_096));
    }
    await session.dispose();
    expect(snapshots).toBeGreaterThan(5);
    expect(snapshots).toBeLessThan(30);
  },
);
