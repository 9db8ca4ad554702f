import type { ListedSession } from '@banister/session/log';
import { assert, assertEqual } from '../assert.js';
import type { ProvenLogFact } from './log-fact.js';
import { LONG, recordOf, refused, textsOf, type LogStage } from './log-stage.js';

/** Long enough to give two records different times, in milliseconds. */
const A_MOMENT = 10;

/** Facts about `list`, `describe` and `remove`. */
export const listFacts: readonly ProvenLogFact[] = [
  {
    fact: 'list',
    description: 'the list has each session with a record, that with the newest record first',
    async prove(stage) {
      assertEqual(await stage.other.list(), [], 'the list of an empty log');
      const leases = new Map<string, number>();
      for (const id of ['a', 'b', 'c', 'a']) {
        const lease = await stage.claim('first', LONG, id);
        const revision = (leases.get(id) ?? 0) + 1;
        leases.set(id, revision);
        await stage.append(lease, recordOf(lease, revision, id));
        await stage.pass(A_MOMENT);
      }
      await stage.claim('first', LONG, 'claimed only');
      const list = await stage.other.list();
      assertEqual(
        list.map(({ id }) => id),
        ['a', 'c', 'b'],
        'the ids',
      );
      const times = list.map(({ updatedAt }) => updatedAt);
      assert(times[0]! > times[1]! && times[1]! > times[2]!, `times must fall: ${times.join()}`);
      assertEqual(
        list.map(({ title }) => title),
        ['', '', ''],
        'the titles',
      );
    },
  },
  {
    fact: 'list-pages',
    description:
      'pages of the list have each session once, in the order of the list, also if times are equal',
    async prove(stage) {
      const ids = ['b', 'a', '\ud83d', '\uffff', '\u{1f44b}', '', 'c', 'B', '\u0000'];
      for (const id of ids) {
        const lease = await stage.claim('first', LONG, id);
        await stage.append(lease, recordOf(lease, 1, id));
        if (id === 'c') await stage.pass(A_MOMENT);
      }
      const whole = await stage.other.list();
      assertEqual(whole.length, ids.length, 'the number of sessions');
      for (const [index, { id, updatedAt }] of whole.entries()) {
        const next = whole[index + 1];
        const isInOrder =
          !next || updatedAt > next.updatedAt || (updatedAt === next.updatedAt && id < next.id);
        assert(isInOrder, `${JSON.stringify(id)} must be before ${JSON.stringify(next?.id)}`);
      }
      for (const limit of [1, 2, 4, ids.length])
        assertEqual(await pagesOf(stage, limit), whole, `pages of ${limit}`);
      assertEqual(await stage.other.list({ limit: 0 }), [], 'a page of none');
      const [, second] = whole;
      await stage.log.remove(second!.id);
      const rest = await stage.other.list({ before: second });
      assertEqual(rest, whole.slice(2), 'the page behind a session that was removed');
    },
  },
  {
    fact: 'list-prefix',
    description: 'a list of a prefix has the sessions whose ids begin with it, whatever its characters are',
    async prove(stage) {
      const ids = [
        ...['["ada","1"]', '["ada","2"]', '["adam","1"]', 'a%', 'a%b', 'a_', 'a_b', 'ab', 'A%', '%', '_b'],
        ...[
          'a\u0000',
          'a\u0000b',
          '\u0000',
          '\ud83d',
          '\ud83d\udc4b',
          '\udc4b',
          'ä',
          'a\u0308',
          "'",
          '"',
          '\\',
          '',
        ],
      ];
      for (const id of ids) {
        const lease = await stage.claim('first', LONG, id);
        await stage.append(lease, recordOf(lease, 1, id));
      }
      const whole = await stage.other.list();
      for (const prefix of [...ids, '["ada",', 'b', '__proto__', '\uffff']) {
        const expected = whole.filter(({ id }) => id.startsWith(prefix));
        assertEqual(await stage.other.list({ prefix }), expected, `the list of ${JSON.stringify(prefix)}`);
        assertEqual(await pagesOf(stage, 2, prefix), expected, `the pages of ${JSON.stringify(prefix)}`);
      }
    },
  },
  {
    fact: 'describe',
    description: 'a description sets the fields that it has, and moves no session in the list',
    async prove(stage) {
      for (const id of ['older', 'newer']) {
        const lease = await stage.claim('first', LONG, id);
        await stage.append(lease, recordOf(lease, 1, id));
        await stage.pass(A_MOMENT);
      }
      await stage.log.describe('older', { title: 'Groceries' });
      await stage.log.describe('older', { note: 'milk' });
      await stage.log.describe('older', { title: undefined, note: undefined });
      const [newer, older] = await stage.other.list();
      assertEqual([newer?.id, newer?.title, newer?.note], ['newer', '', undefined], 'the newer session');
      assertEqual(
        [older?.id, older?.title, older?.note],
        ['older', 'Groceries', 'milk'],
        'the older session',
      );
      await stage.log.describe('planned', { title: 'Not begun' });
      const planned = (await stage.other.list()).find(({ id }) => id === 'planned');
      assertEqual(planned?.title, 'Not begun', 'the title of a session without a record');
    },
  },
  {
    fact: 'remove',
    description: 'a removed session is an empty log again, and the leases from before are refused for ever',
    async prove(stage) {
      const old = await stage.claim();
      await stage.write(old, 1, 'a', 'b');
      await stage.log.describe(stage.id, { title: 'Groceries' });
      await stage.log.remove(stage.id);
      assertEqual(await stage.other.load(stage.id), { snapshot: null, revision: 0, records: [] }, 'the log');
      assertEqual(await stage.other.list(), [], 'the list');
      await refused(stage.append(old, recordOf(old, 3, 'c')), 'removed', 'an append of the old lease');
      const lease = await stage.other.claim(stage.id, 'second', LONG);
      assertEqual([lease.epoch, lease.revision], [old.epoch + 1, 0], 'epoch and revision of the next lease');
      await refused(
        stage.append(old, recordOf(old, 1, 'zombie')),
        'removed',
        'a later append of the old lease',
      );
      await stage.append(lease, recordOf(lease, 1, 'new'), stage.other);
      assertEqual(textsOf((await stage.log.load(stage.id)).records), ['1 new'], 'the records');
      assertEqual((await stage.log.list())[0]?.title, '', 'the title of the new session');
      await stage.log.remove('no such session');
    },
  },
];

/** Reads the list page by page, at most 100 pages. */
async function pagesOf(stage: LogStage, limit: number, prefix?: string): Promise<readonly ListedSession[]> {
  const all: ListedSession[] = [];
  for (let pages = 0; pages < 100; pages++) {
    const page = await stage.other.list({ prefix, limit, before: all.at(-1) });
    assert(page.length <= limit, `a page of ${limit} has ${page.length} sessions`);
    all.push(...page);
    if (page.length < limit) break;
  }
  return all;
}
