// The page of the group `storage`: sessions with a log in the browser, and without one.
import {
  createAgentSession,
  effect,
  type AgentSession,
  type Provider,
  type SavedConversation,
  type SessionLog,
} from '@handrail/session';
import { indexedDbLog } from '@handrail/storage';
import { pastMessages } from '../inputs/past-messages.mjs';
import { savedConversation } from '../inputs/saved-conversation.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';

const id = 'chat';
const name = 'bench';

/** Counts the appends of a log. */
let flushes = 0;
function counted(log: SessionLog): SessionLog {
  return {
    ...log,
    append: (...args) => {
      flushes++;
      return log.append(...args);
    },
  };
}

/** Answers with `count` deltas, a thousand a second. */
function paced(count: number): Provider {
  const deltas = textDeltas(count);
  return {
    id: 'bench',
    model: 'scripted',
    capabilities: { images: false },
    async *stream() {
      const start = performance.now();
      for (let sent = 0; sent < count;) {
        const due = Math.min(count, Math.floor(performance.now() - start));
        for (; sent < due; sent++) yield { type: 'text', delta: deltas[sent]! };
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

function open(provider: Provider, withLog: boolean): AgentSession {
  return createAgentSession({ provider, ...(withLog ? { id, log: counted(indexedDbLog({ name })) } : {}) });
}

async function opened(session: AgentSession): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = effect(() => {
      if (session.link.value.open) queueMicrotask(() => (stop(), resolve()));
    });
  });
}

/** Calls back until it is stopped; returns the longest time between two calls, in milliseconds. */
function longestTask(): () => number {
  const { port1, port2 } = new MessageChannel();
  let last = performance.now();
  let longest = 0;
  port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    port2.postMessage(0);
  };
  port2.postMessage(0);
  return () => {
    port1.close();
    return longest;
  };
}

/** The bytes of all rows of the database. */
async function storedBytes(): Promise<number> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
  });
  const transaction = database.transaction(['records', 'snapshots']);
  const rows = await Promise.all(
    ['records', 'snapshots'].map(
      (store) =>
        new Promise<{ bytes: Uint8Array }[]>((resolve) => {
          const request = transaction.objectStore(store).getAll();
          request.onsuccess = () => resolve(request.result);
        }),
    ),
  );
  database.close();
  return rows.flat().reduce((sum, { bytes }) => sum + bytes.length, 0);
}

const bench = {
  /** One answer; with `watch` the longest task is measured, which costs processor time. */
  async stream(count: number, withLog: boolean, watch: boolean) {
    const session = open(paced(count), withLog);
    const stop = effect(() => void session.currentText.value);
    await session.send('Hi');
    flushes = 0;
    const end = watch ? longestTask() : () => 0;
    const { text } = await session.send('Hi');
    const longest = end();
    stop();
    await session.dispose();
    return { characters: text.length, flushes, longest };
  },

  /** Stores a chat of so many messages as a snapshot. */
  async store(messages: number) {
    const conversation = savedConversation(pastMessages(messages)) as unknown as SavedConversation;
    const session = createAgentSession({ provider: paced(1), conversation });
    const log = indexedDbLog({ name });
    const lease = await log.claim(id, 'bench', 60_000);
    await log.append(
      lease,
      { version: 1, revision: 1, epoch: lease.epoch, operations: [] },
      { barrier: true },
    );
    await log.snapshot(lease, 1, session.state);
    await log.release(lease);
  },

  /** The time until the messages of the stored chat are in the signals; of the floor, until its rows are read. */
  async open(_messages: number, withLog: boolean) {
    const start = performance.now();
    if (!withLog) {
      const { snapshot } = await indexedDbLog({ name }).load(id);
      return { opening: performance.now() - start, count: snapshot!.conversation.messages.length };
    }
    const session = open(paced(1), true);
    await opened(session);
    return { opening: performance.now() - start, count: session.conversation.value.messages.length };
  },

  /** The largest stored size of a growing chat, and that right after a snapshot, in times of the JSON of its messages. */
  async grow(turns: number) {
    const session = open(paced(60), true);
    const sizes: { readonly times: number; readonly isSnapshot: boolean }[] = [];
    let before = 0;
    for (let turn = 0; turn < turns; turn++) {
      await session.send('Some words of a user, as long as those of most messages are.');
      await new Promise((resolve) => setTimeout(resolve, 20));
      const bytes = await storedBytes();
      const bare = JSON.stringify(session.conversation.value.messages).length;
      // A shorter chat has the rows of one turn beside its messages.
      if (bare > 2_000) sizes.push({ times: bytes / bare, isSnapshot: bytes < before });
      before = bytes;
    }
    await session.dispose();
    const most = (of: typeof sizes) => Math.max(...of.map(({ times }) => times));
    return { most: most(sizes), afterSnapshot: most(sizes.filter(({ isSnapshot }) => isSnapshot)) };
  },

  /** The number of writing transactions of an idle session. */
  async idle(seconds: number, withLog: boolean) {
    const session = open(paced(10), withLog);
    await session.send('Hi');
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { transaction } = IDBDatabase.prototype;
    let writes = 0;
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...args) {
      if (args[1] === 'readwrite') writes++;
      return transaction.apply(this, args);
    };
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { writes };
  },
};

Object.assign(window, { bench });
