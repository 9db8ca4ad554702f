// The page of the group `storage`: sessions with a log in the browser, and without one.
import {
  createAgentSession,
  effect,
  preloadTurns,
  type AgentSession,
  type Provider,
  type SavedConversation,
  type SessionLog,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import { indexedDbLog } from '@banister/storage';
import { pastMessages } from '../inputs/past-messages.mjs';
import { savedConversation } from '../inputs/saved-conversation.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { openBareRows, type BareRows } from './bare-rows.js';

type Kept = 'nothing' | 'rows' | 'log';

const id = 'chat';
const name = 'bench';

/** The number of appends to the log, or of bare transactions instead. */
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

/** Answers with the given number of deltas, a thousand a second. The last count is used for all later answers. */
function paced(...counts: [number, ...number[]]): Provider {
  let answers = 0;
  return {
    id: 'bench',
    model: 'scripted',
    capabilities: { images: false },
    async *stream() {
      const count = counts[answers++] ?? counts.at(-1)!;
      const deltas = textDeltas(count);
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

/** Puts a row as large as a flush every 50 ms, until it is stopped. */
function putRows(rows: BareRows): () => void {
  const text = textDeltas(70).join('');
  let timer: ReturnType<typeof setTimeout>;
  const next = () => {
    timer = setTimeout(async () => {
      flushes++;
      await rows.put(text);
      next();
    }, 50);
  };
  next();
  return () => clearTimeout(timer);
}

/** The session of W14. */
let streaming: { readonly session: AgentSession; readonly rows: BareRows | null; stop(): void };

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
  /** Opens a session that is read, and sends a first message. @param kept a log, rows in bare transactions, or nothing */
  async prepare(count: number, kept: Kept) {
    const session = open(paced(500, count), kept === 'log');
    const stop = effect(() => void session.currentText.value);
    await session.send('Hi');
    streaming = { session, stop, rows: kept === 'rows' ? await openBareRows('bare') : null };
  },

  /** One answer of the session. */
  async stream() {
    const { session, rows } = streaming;
    flushes = 0;
    const stop = rows ? putRows(rows) : () => {};
    const { text } = await session.send('Hi');
    stop();
    return { characters: text.length, flushes };
  },

  async end() {
    streaming.stop();
    await streaming.session.dispose();
  },

  /** Stores a chat of so many messages as a snapshot. */
  async store(messages: number) {
    // The session has its state at once.
    await preloadTurns();
    const conversation = savedConversation(pastMessages(messages)) as unknown as SavedConversation;
    const session = createAgentSession({ provider: paced(1), conversation });
    const log = indexedDbLog({ name });
    const lease = await log.claim(id, 'bench', 60_000);
    await log.append(
      lease,
      { version: 1, revision: 1, epoch: lease.epoch, operations: [] },
      { barrier: true },
    );
    await log.snapshot(lease, 1, savedState(session.state));
    await log.release(lease);
  },

  /** The time until the messages of the stored chat are in the signals; for the floor, until its rows are read. */
  async open(_messages: number, withLog: boolean) {
    const start = performance.now();
    if (!withLog) {
      const { snapshot } = await indexedDbLog({ name }).load(id);
      return { opening: performance.now() - start, count: snapshot!.turns.length };
    }
    const session = open(paced(1), true);
    await opened(session);
    return { opening: performance.now() - start, count: session.conversation.value.messages.length };
  },

  /** The largest stored size of a growing chat, and the size right after a snapshot, as multiples of the JSON of its messages. */
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
