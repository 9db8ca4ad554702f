import type { SessionLog } from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { memoryLog } from '@banister/storage';
import { describe, expect, test } from 'vitest';
import type { LogFact } from './log/log-fact.js';
import { logFacts } from './log/log-facts.js';
import { sessionLogConformance, type SessionLogConformanceOptions } from './session-log-conformance.js';
import { lateChannel } from '../../../test/kit/late-channel.js';
import { drawnOf } from '../../../test/kit/sample-size.js';
import { recordingRunner } from '../test/recording-runner.js';
import { createVirtualClock } from './virtual-clock.js';

/** Runs the suite against a log. Resolves with the facts that failed and the titles of the skipped facts. */
async function outcomeOf(
  spoil: (log: SessionLog) => Partial<SessionLog>,
  options: SessionLogConformanceOptions = {},
) {
  const failed: LogFact[] = [];
  const runner = recordingRunner();
  const make = () => {
    const clock = createVirtualClock();
    const log = memoryLog({ clock });
    return { log: { ...log, ...spoil(log) }, pass: (ms: number) => clock.advance(ms) };
  };
  sessionLogConformance('spoiled', make, runner, options);
  const run = async ([title, body]: (typeof runner.bodies)[number]) => {
    try {
      await body();
    } catch {
      failed.push(logFacts.find(({ description }) => description === title)!.fact);
    }
  };
  await Promise.all(runner.bodies.map(run));
  return { failed: failed.sort(), skipped: runner.skipped };
}

/** How long a broken log may take, in milliseconds. A fact that waits forever fails after this time. */
const SOON = 500;

const in50Ms = (listen: () => void) => void setTimeout(listen, 50);

const deltaOf = ({ operations: [operation] }: LogRecord) =>
  operation?.type === 'text' ? operation.delta : '';

describe('the suite for logs', () => {
  test('has exactly one fact for each name', () => {
    const names = logFacts.map(({ fact }) => fact);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(logFacts.map(({ description }) => description)).size).toBe(names.length);
  });

  test('reports a declared gap as skipped, with its reason', async () => {
    const gaps = { channel: 'no channel', 'channel-end': 'no channel', 'channel-copies': 'no channel' };
    const { failed, skipped } = await outcomeOf(() => ({ channel: undefined }), { skip: gaps });
    expect(failed).toEqual([]);
    expect(skipped).toHaveLength(3);
    expect(skipped[0]).toMatch(/\(gap: no channel\)$/);
  });

  test('served H6 accepts a channel that listens late and declares `listening`', async () => {
    const { failed } = await outcomeOf((log) => ({
      channel: (id) => lateChannel(log.channel!(id), in50Ms),
    }));
    expect(failed).toEqual([]);
  });

  const spoiled: readonly [string, readonly LogFact[], (log: SessionLog) => Partial<SessionLog>][] = [
    [
      'has no channel, and does not declare it',
      ['channel', 'channel-copies', 'channel-end'],
      () => ({ channel: undefined }),
    ],
    [
      'gives every lease the same epoch',
      ['claim', 'fencing', 'lease-time', 'release', 'remove', 'renew'],
      (log) => {
        let epoch = 0;
        return {
          claim: async (...args) => {
            const lease = await log.claim(...args);
            epoch = lease.epoch;
            return { ...lease, epoch: 1 };
          },
          append: (lease, record, options) => log.append({ ...lease, epoch }, { ...record, epoch }, options),
          renew: (lease) => log.renew({ ...lease, epoch }),
          release: (lease) => log.release({ ...lease, epoch }),
          snapshot: (lease, ...args) => log.snapshot({ ...lease, epoch }, ...args),
        };
      },
    ],
    [
      'accepts the record of an old epoch under a new lease',
      ['fencing'],
      (log) => ({
        append: (lease, record, options) => log.append(lease, { ...record, epoch: lease.epoch }, options),
      }),
    ],
    [
      'hides the owner who holds the lease',
      ['held'],
      (log) => ({
        claim: (id, owner, ttlMs) =>
          log.claim(id, owner, ttlMs).catch((error: Error & { details: object }) => {
            Object.assign(error, { details: { reason: 'held' } });
            throw error;
          }),
      }),
    ],
    [
      'gives every owner the lease',
      ['claim-race', 'held', 'release', 'renew'],
      (log) => ({ claim: (id, _owner, ttlMs) => log.claim(id, 'the same', ttlMs) }),
    ],
    [
      'takes the lease away from any epoch',
      ['steal', 'steal-race'],
      (log) => ({
        claim: (id, owner, ttlMs, options) =>
          log.claim(id, owner, ttlMs, options).catch((error: Error & { details: { epoch: number } }) => {
            if (options?.steal === undefined) throw error;
            return log.claim(id, owner, ttlMs, { steal: error.details.epoch });
          }),
      }),
    ],
    [
      'wakes an owner who waits for the lease only when its signal fires',
      ['freed'],
      () => ({
        freed: (_id, signal) =>
          new Promise((resolve) => {
            if (signal.aborted) resolve();
            else signal.addEventListener('abort', () => resolve());
          }),
      }),
    ],
    [
      'lets an owner wait on for the lease when its signal has fired',
      ['freed-end'],
      (log) => ({ freed: (id) => log.freed!(id, new AbortController().signal) }),
    ],
    [
      'looks at the lease before it waits, and then writes',
      ['claim-during-appends'],
      (log) => {
        const epochs = new Map<string, number>();
        return {
          claim: async (...args) => {
            const lease = await log.claim(...args);
            epochs.set(lease.id, lease.epoch);
            return lease;
          },
          append: async (lease, record, options) => {
            await log.renew(lease);
            await new Promise((resolve) => setTimeout(resolve));
            const current = { ...lease, epoch: epochs.get(lease.id) ?? lease.epoch };
            return log.append(current, { ...record, epoch: current.epoch }, options);
          },
        };
      },
    ],
    [
      'drops the records after a snapshot with those before it',
      ['snapshot-during-appends'],
      (log) => {
        const bases = new Map<string, number>();
        return {
          snapshot: async (lease, ...args) => {
            await log.snapshot(lease, ...args);
            await new Promise((resolve) => setTimeout(resolve));
            bases.set(lease.id, (await log.load(lease.id)).revision);
          },
          load: async (id) => {
            const loaded = await log.load(id);
            const records = loaded.records.filter(({ revision }) => revision > (bases.get(id) ?? 0));
            return { ...loaded, records };
          },
        };
      },
    ],
    [
      'goes on with a session that was removed where the last one was',
      ['gap', 'remove-during-tail'],
      (log) => ({
        async *tail(id, after, signal) {
          for (let cursor = after; !signal.aborted;) {
            const { records } = await log.load(id);
            const next = records.find(({ revision }) => revision === cursor + 1);
            if (next) yield next;
            if (next) cursor++;
            else await new Promise((resolve) => setTimeout(resolve, 5));
          }
        },
      }),
    ],
    ['does not renew', ['renew'], (log) => ({ renew: (lease) => log.load(lease.id).then(() => {}) })],
    [
      'answers a conflict as if the record were stored',
      ['conflict', 'not-json', 'one-writer', 'revision-back'],
      (log) => ({ append: (...args) => log.append(...args).catch(() => {}) }),
    ],
    [
      'drops records without a barrier',
      ['order'],
      (log) => ({
        append: (lease, record, options) =>
          options.barrier ? log.append(lease, record, options) : Promise.resolve(),
      }),
    ],
    [
      'ends a tail after the stored records',
      ['gap', 'revision-back', 'slow-reader', 'tail-live', 'two-readers'],
      (log) => ({
        async *tail(id, after, signal) {
          const { records } = await log.load(id);
          for (const record of records) if (record.revision > after && !signal.aborted) yield record;
        },
      }),
    ],
    [
      'has one tail for all readers',
      ['two-readers'],
      (log) => {
        const shared = new Map<string, AsyncIterator<LogRecord>>();
        return {
          tail(id, after, signal) {
            const key = `${id} ${after}`;
            const iterator = shared.get(key) ?? log.tail(id, after, signal)[Symbol.asyncIterator]();
            shared.set(key, iterator);
            return { [Symbol.asyncIterator]: () => iterator };
          },
        };
      },
    ],
    [
      'lets a tail wait on when its signal has fired',
      ['tail-end'],
      (log) => ({ tail: (id, after) => log.tail(id, after, new AbortController().signal) }),
    ],
    [
      'begins a tail without looking whether the log has its cursor',
      ['gap'],
      (log) => ({
        async *tail(id, after, signal) {
          const { revision } = await log.load(id);
          if (after <= revision) yield* log.tail(id, after, signal);
          else await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      }),
    ],
    [
      'returns every record beside the snapshot',
      ['snapshot'],
      (log) => {
        const all: LogRecord[] = [];
        return {
          append: async (lease, record, options) => {
            await log.append(lease, record, options);
            all.push(structuredClone(record));
          },
          load: async (id) => {
            const loaded = await log.load(id);
            return loaded.snapshot === null ? loaded : { ...loaded, records: structuredClone(all) };
          },
        };
      },
    ],
    [
      'takes a snapshot of any revision for one of the last',
      ['snapshot', 'snapshot-refused'],
      (log) => ({
        snapshot: async (lease, _revision, state) =>
          log.snapshot(lease, (await log.load(lease.id)).revision, state),
      }),
    ],
    [
      'shares what it has loaded with the next reader',
      ['copies'],
      (log) => {
        const loads = new Map<number, Awaited<ReturnType<SessionLog['load']>>>();
        return {
          load: async (id) => {
            const loaded = await log.load(id);
            if (loaded.snapshot === null) return loaded;
            const known = loads.get(loaded.revision) ?? loaded;
            loads.set(loaded.revision, known);
            return known.records.length === loaded.records.length ? known : loaded;
          },
        };
      },
    ],
    [
      'lists the oldest first',
      ['describe', 'list'],
      (log) => ({ list: async () => [...(await log.list())].reverse() }),
    ],
    [
      'lists every session, whatever it is asked for',
      ['list-pages', 'list-prefix'],
      (log) => ({ list: () => log.list() }),
    ],
    [
      'goes on with the sessions that are older than the last one of a page',
      ['list-pages', 'list-prefix'],
      (log) => ({
        list: async ({ before, limit, ...query } = {}) =>
          (await log.list(query))
            .filter(({ updatedAt }) => before === undefined || updatedAt < before.updatedAt)
            .slice(0, limit),
      }),
    ],
    [
      'goes on with the session behind the last one of a page, where it finds that session',
      ['list-pages'],
      (log) => ({
        list: async ({ before, limit, ...query } = {}) => {
          const all = await log.list(query);
          const last = all.findIndex(({ id }) => id === before?.id);
          return all.slice(last + 1).slice(0, limit);
        },
      }),
    ],
    [
      'takes a character of a prefix for a wildcard',
      ['list-prefix'],
      (log) => ({
        list: async ({ prefix = '', ...query } = {}) =>
          (await log.list(query)).filter(({ id }) =>
            [...prefix].every((character, index) => character === '_' || character === [...id][index]),
          ),
      }),
    ],
    [
      'forgets the title with each description',
      ['describe'],
      (log) => ({ describe: (id, about) => log.describe(id, { title: '', ...about }) }),
    ],
    [
      'forgets the epoch of a removed session',
      ['gap', 'remove'],
      (log) => {
        let current = log;
        const clock = createVirtualClock();
        return {
          claim: (...args) => current.claim(...args),
          append: (...args) => current.append(...args),
          load: (id) => current.load(id),
          list: () => current.list(),
          describe: (...args) => current.describe(...args),
          remove: async () => void (current = memoryLog({ clock })),
        };
      },
    ],
    [
      'has no orphans, and does not declare it',
      ['orphans', 'orphans-end', 'orphans-time'],
      () => ({ orphans: undefined }),
    ],
    [
      'takes work for open for ever',
      ['orphans'],
      (log) => ({
        append: (lease, record, options) => log.append(lease, record, { ...options, open: true }),
      }),
    ],
    [
      'takes a session for an orphan while its writer lives',
      ['orphans', 'orphans-time'],
      (log) => ({
        append: async (lease, record, options) => {
          await log.append(lease, record, options);
          await log.release(lease);
        },
        release: async () => {},
      }),
    ],
    [
      'finds an orphan only where its lease was released',
      ['orphans-time'],
      (log) => ({ claim: (id, owner, _ttlMs, options) => log.claim(id, owner, 600_000, options) }),
    ],
    [
      'tells of an orphan once, whatever its next writer does',
      ['orphans'],
      (log) => ({
        async *orphans(signal) {
          const told = new Set<string>();
          for await (const id of log.orphans!(signal)) {
            if (!told.has(id)) yield id;
            told.add(id);
          }
        },
      }),
    ],
    [
      'lets a reader of orphans wait on when its signal has fired',
      ['orphans-end'],
      (log) => ({ orphans: () => log.orphans!(new AbortController().signal) }),
    ],
    [
      'returns messages to the end that posted them',
      ['channel'],
      (log) => ({
        channel: (id) => ({
          post: (message) => log.channel!(id).post(message),
          messages: (signal) => log.channel!(id).messages(signal),
          listening: Promise.resolve(),
        }),
      }),
    ],
    ['has one channel for all sessions', ['channel'], (log) => ({ channel: () => log.channel!('the same') })],
    [
      'begins to listen at the first read',
      ['channel', 'channel-copies', 'channel-end'],
      (log) => ({
        channel: (id) => {
          const channel = log.channel!(id);
          return {
            ...channel,
            async *messages(signal) {
              yield* channel.messages(signal);
            },
          };
        },
      }),
    ],
    [
      'begins to listen after 50 ms, and says that it listens at once',
      ['channel', 'channel-copies', 'channel-end'],
      (log) => ({
        channel: (id) => {
          const late = lateChannel(log.channel!(id), in50Ms);
          const messages = (signal: AbortSignal) => late.messages(signal);
          return { post: (message) => late.post(message), messages, listening: Promise.resolve() };
        },
      }),
    ],
    [
      'takes ids that differ in case for one',
      ['hostile-ids'],
      (log) => ({
        claim: (id, owner, ttlMs) => log.claim(id.toLowerCase(), owner, ttlMs),
        load: (id) => log.load(id.toLowerCase()),
      }),
    ],
    [
      'merges a record into an object of its own',
      ['hostile-keys'],
      (log) => ({
        load: async (id) => {
          const loaded = await log.load(id);
          const operations = (record: LogRecord) =>
            record.operations.map((operation) => {
              const copy: Record<string, unknown> = {};
              for (const [key, value] of Object.entries(operation)) copy[key] = value;
              return copy as unknown as (typeof record.operations)[number];
            });
          return {
            ...loaded,
            records: loaded.records.map((record) => ({ ...record, operations: operations(record) })),
          };
        },
      }),
    ],
    [
      'cuts a long text',
      ['huge-record'],
      (log) => ({
        load: async (id) => {
          const loaded = await log.load(id);
          return deltaOf(loaded.records[0] ?? { version: 1, revision: 0, epoch: 0, operations: [] }).length >
            1e6
            ? { ...loaded, records: [] }
            : loaded;
        },
      }),
    ],
    [
      'leaves a record without its operations where they are not JSON',
      ['not-json'],
      (log) => ({
        append: (lease, record, options) =>
          log.append(lease, record, options).catch((error: Error & { details: { reason?: string } }) => {
            if (error.details.reason !== undefined) throw error;
            return log.append(lease, { ...record, operations: [] }, options);
          }),
      }),
    ],
  ];

  test.each(drawnOf(spoiled, 4))('finds a log that %s', async (_title, facts, spoil) => {
    const { failed } = await outcomeOf(spoil, { patienceMs: SOON });
    expect(failed).toEqual(expect.arrayContaining([...facts]));
  });

  test('has a wrong log for every fact', () => {
    const found = new Set(spoiled.flatMap(([, facts]) => facts));
    expect(logFacts.map(({ fact }) => fact).filter((fact) => !found.has(fact))).toEqual(['load', 'tail']);
  });
});
