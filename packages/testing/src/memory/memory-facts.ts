import { isAgentSessionError, type MemoryItem, type MemoryStore } from '@banister/session';
import { assert, assertEqual, eventually } from '../assert.js';

/** How long a subscription may take, in milliseconds. */
const SOON_MS = 2_000;

/** A store without facts, and what a suite needs beside it. */
export interface MemoryStoreFixture {
  readonly store: MemoryStore;
  /** A second connection to the same store, as another tab or process has it. Default: the store itself. */
  readonly other?: MemoryStore | undefined;
  /** Removes the store after the test. */
  readonly dispose?: (() => void | Promise<void>) | undefined;
}

/** The names of the facts that the suite proves, for `skip`. */
export type MemoryStoreFact =
  | 'empty'
  | 'kept'
  | 'replaced'
  | 'removed'
  | 'known-id'
  | 'old-revision'
  | 'unknown-id'
  | 'racing'
  | 'copies'
  | 'elsewhere'
  | 'subscribe'
  | 'subscribe-elsewhere'
  | 'unsubscribe';

/** The store of one test. */
export class MemoryStage {
  constructor(private readonly fixture: MemoryStoreFixture) {}

  get store(): MemoryStore {
    return this.fixture.store;
  }

  get other(): MemoryStore {
    return this.fixture.other ?? this.fixture.store;
  }

  clear(): void | Promise<void> {
    return this.fixture.dispose?.();
  }

  /** Fails a test unless the store has exactly these facts, in any order. */
  async holds(expected: readonly MemoryItem[]): Promise<void> {
    const byId = (items: readonly MemoryItem[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assertEqual(byId(await this.store.load()), byId(expected), 'the facts');
  }
}

interface ProvenMemoryFact {
  readonly fact: MemoryStoreFact;
  readonly description: string;
  prove(stage: MemoryStage): Promise<void>;
}

/** Facts about a store of facts. */
export const memoryFacts: readonly ProvenMemoryFact[] = [
  {
    fact: 'empty',
    description: 'has no facts at first',
    prove: (stage) => stage.holds([]),
  },
  {
    fact: 'kept',
    description: 'keeps every field of a fact, and every character of its text',
    async prove(stage) {
      const whole: MemoryItem = {
        id: 'a',
        text: '"\\\n\u2028</note>\u{1f600}\u0000é',
        about: ['release', ''],
        pinned: true,
        source: { by: 'agent', agent: 'writer', afterNetwork: true },
        at: 1,
        changedAt: 2.5,
        revision: 7,
      };
      await stage.store.put(whole, null);
      await stage.store.put(item('b'), null);
      await stage.holds([whole, item('b')]);
    },
  },
  {
    fact: 'replaced',
    description: 'replaces a fact, and drops the fields that the new fact lacks',
    async prove(stage) {
      await stage.store.put({ ...item('a'), pinned: true }, null);
      await stage.store.put(item('a', 2), 1);
      await stage.holds([item('a', 2)]);
    },
  },
  {
    fact: 'removed',
    description: 'removes a fact, and accepts its id again',
    async prove(stage) {
      await stage.store.put(item('a'), null);
      await stage.store.put(item('b'), null);
      await stage.store.remove('a', 1);
      await stage.holds([item('b')]);
      await stage.store.put(item('a', 3), null);
      await stage.holds([item('a', 3), item('b')]);
    },
  },
  {
    fact: 'known-id',
    description: 'a new fact with a known id is a conflict',
    async prove(stage) {
      await stage.store.put(item('a'), null);
      await isConflict(stage.store.put(item('a', 9), null));
      await stage.holds([item('a')]);
    },
  },
  {
    fact: 'old-revision',
    description: 'a write and a removal on another revision are conflicts, and change nothing',
    async prove(stage) {
      await stage.store.put(item('a'), null);
      await stage.store.put(item('a', 2), 1);
      await isConflict(stage.store.put(item('a', 3), 1));
      await isConflict(stage.store.put(item('a', 3), 3));
      await isConflict(stage.store.remove('a', 1));
      await stage.holds([item('a', 2)]);
    },
  },
  {
    fact: 'unknown-id',
    description: 'a write to a fact that is not there, and its removal, are conflicts',
    async prove(stage) {
      await isConflict(stage.store.put(item('a', 2), 1));
      await isConflict(stage.store.remove('a', 1));
      await stage.holds([]);
    },
  },
  {
    fact: 'racing',
    description: 'of two writes on one revision at the same time, one is a conflict',
    async prove(stage) {
      await stage.store.put(item('a'), null);
      const writes = [stage.store, stage.other].map((store, index) =>
        store.put({ ...item('a', 2), text: `Writer ${index}` }, 1),
      );
      const ends = await Promise.allSettled(writes);
      const won = ends.findIndex(({ status }) => status === 'fulfilled');
      assert(won >= 0, 'no write succeeded');
      await isConflict(writes[1 - won]!);
      await stage.holds([{ ...item('a', 2), text: `Writer ${won}` }]);
    },
  },
  {
    fact: 'copies',
    description: 'shares no object with a reader or a writer',
    async prove(stage) {
      const about = ['release'];
      await stage.store.put({ ...item('a'), about }, null);
      about.push('changed');
      const [read] = await stage.store.load();
      (read!.about as string[]).push('changed');
      await stage.holds([{ ...item('a'), about: ['release'] }]);
    },
  },
  {
    fact: 'elsewhere',
    description: 'a second connection reads and writes the same facts',
    async prove(stage) {
      await stage.store.put(item('a'), null);
      assertEqual(await stage.other.load(), [item('a')], 'the facts of the other connection');
      await stage.other.put(item('a', 2), 1);
      await isConflict(stage.store.put(item('a', 2), 1));
      await stage.holds([item('a', 2)]);
    },
  },
  {
    fact: 'subscribe',
    description: 'calls a listener after each change of its own',
    prove: (stage) => hears(stage, stage.store),
  },
  {
    fact: 'subscribe-elsewhere',
    description: 'calls a listener after a change of another connection',
    prove: (stage) => hears(stage, stage.other),
  },
  {
    fact: 'unsubscribe',
    description: 'calls no listener that has left, also if the same function is subscribed twice',
    async prove(stage) {
      let calls = 0;
      const listener = () => void calls++;
      const [first, second] = [stage.store.subscribe!(listener), stage.store.subscribe!(listener)];
      first();
      await stage.store.put(item('a'), null);
      await eventually(SOON_MS, () => calls > 0, 'the call of the second listener');
      second();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const before = calls;
      await stage.store.put(item('b'), null);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assertEqual(calls, before, 'the calls after the end of the subscription');
    },
  },
];

/** Proves that a listener is called after a fact was added, replaced and removed, when the new facts can be read. */
async function hears({ store }: MemoryStage, writer: MemoryStore): Promise<void> {
  let seen: readonly MemoryItem[] = [];
  const leave = store.subscribe!(() => void store.load().then((items) => (seen = items)));
  try {
    await writer.put(item('a'), null);
    await eventually(SOON_MS, () => seen.length === 1, 'the report of a new fact');
    await writer.put(item('a', 2), 1);
    await eventually(SOON_MS, () => seen[0]?.revision === 2, 'the report of a replaced fact');
    await writer.remove('a', 2);
    await eventually(SOON_MS, () => seen.length === 0, 'the report of a removed fact');
  } finally {
    leave();
  }
}

function item(id: string, revision = 1): MemoryItem {
  return { id, text: `Fact ${id}`, source: { by: 'user' }, at: 1, changedAt: revision, revision };
}

async function isConflict(write: Promise<void>): Promise<void> {
  const error: unknown = await write.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert(
    isAgentSessionError(error) && error.code === 'conflict',
    `expected a conflict, got ${String(error)}`,
  );
}
