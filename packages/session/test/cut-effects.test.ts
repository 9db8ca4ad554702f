// Each way in which a call is cut, with each end of its turn: no effect is left that no record names.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, checkOrder, fail, gatedTool, say, settle, spyTool } from '@banister/testing';
import { callsOf, type LocalAgentSession, type TurnRecord } from '@banister/session';
import { drawnOf } from '../../../test/kit/sample-size.js';
import { fixture, rejection } from './fixture.js';
import { logWorld } from './log-world.js';

beforeAll(() => import('../src/session/log-chunk.js'));

/** The way in which the effect of the call comes about, and in which the call ends. */
const acts = {
  'acts, and never returns': { before: true, returns: false },
  'acts, and returns late': { before: true, returns: true },
  'acts late, and never returns': { before: false, returns: false },
  'acts late, and returns': { before: false, returns: true },
} as const;
const reverts = ['is taken back', 'is never taken back', 'is taken back late'] as const;
const ends = [
  'commit',
  'rollback',
  'cancel',
  'abort',
  'abort that keeps',
  'dispose',
  'undo',
  'redo',
  'accept',
  'reject',
  'cancel in review',
] as const;
const reloads = [false, true] as const;

type End = (typeof ends)[number];

/** A tool whose time is up; its effects are two names in a world. Their second revert may hang. */
function createWorld(revert: (typeof reverts)[number]) {
  const world = new Set<string>();
  const held: (() => void)[] = [];
  const undo = {
    revert: ({ name }: { name: string }) => {
      if (name === 'first' || revert === 'is taken back') return void world.delete(name);
      return new Promise<void>((resolve) => {
        held.push(() => {
          world.delete(name);
          resolve();
        });
      });
    },
    reapply: ({ name }: { name: string }) => void world.add(name),
  };
  const slow = gatedTool('slow', { timeoutMs: 1_000, undo });
  const act = async () => {
    const [run] = slow.runs;
    for (const name of ['first', 'second']) {
      world.add(name);
      await run!.context.undo({ description: name, data: { name } }).catch(() => {});
    }
  };
  const release = () => {
    if (revert === 'is taken back late') for (const end of held.splice(0)) end();
  };
  return { world, slow, act, release, domains: [{ id: 'd', tools: [slow] }] };
}

const isReviewed = (end: End) => ['accept', 'reject', 'cancel in review'].includes(end);

async function finish(session: LocalAgentSession, end: End): Promise<void> {
  switch (end) {
    case 'accept':
    case 'reject':
      await session[end]();
      // An effect whose revert hangs stays open.
      if (session.pendingReview.value !== null) await session.cancel();
      return;
    case 'cancel in review':
    case 'cancel':
      await session.cancel();
      return;
    case 'undo':
      await session.undo().catch(() => {});
      return;
    case 'redo':
      await session.undo({ force: true }).catch(() => {});
      await session.redo({ force: true }).catch(() => {});
      return;
    default:
  }
}

/** What the records say of the call: its effects are gone, there, or perhaps there; null where nothing names it. */
function claimOf(turn: TurnRecord): 'gone' | 'there' | 'perhaps' | null {
  const [call] = turn.rounds.flatMap(callsOf);
  const { outcome, effects, rejected = [], unknown = [], undo } = turn;
  const report = undo?.report ?? outcome?.report;
  const late = call?.late?.effect;
  if (late === 'revert-failed' || late === 'irreversible') return call?.reverted ? 'gone' : 'perhaps';
  if (call?.reverted || late === 'reverted') return 'gone';
  if (late === undefined && [...unknown, ...(outcome?.report?.unknown ?? [])].length > 0) return 'perhaps';
  if (report && [...report.failed, ...report.irreversible, ...report.lost].length > 0) return 'perhaps';
  if (rejected.length > 0) return 'gone';
  if (effects.length > 0 || late === 'kept') return 'there';
  return report && report.done.length > 0 ? 'gone' : null;
}

async function claimed(act: keyof typeof acts, revert: (typeof reverts)[number], end: End, reload: boolean) {
  const { world, slow, act: take, release, domains } = createWorld(revert);
  const { before, returns } = acts[act];
  const log = logWorld();
  const answers = [callTools({ tool: 'd.slow' }), end === 'rollback' ? fail('auth') : say('Done.')];
  let { session } = await log.open(answers, { domains });
  const advance = async (ms: number) => {
    await log.clock.advance(ms);
    await settle(20);
  };
  const turn = session.send('Go', isReviewed(end) ? { commit: 'review' } : {}).catch(() => {});
  const run = await slow.next();
  if (before) await take();
  if (end === 'abort' || end === 'abort that keeps')
    await session.cancel({ immediate: true, ...(end === 'abort' ? {} : { sideEffects: 'keep' as const }) });
  else if (end === 'dispose') await session.dispose();
  else if (end === 'cancel') {
    const cancelled = session.cancel();
    await advance(1_000);
    await cancelled;
  } else await advance(1_000);
  if (!before) await take();
  if (reload) {
    const isOpen = session.isRunning.value;
    await session.dispose({ turn: 'leave' });
    ({ session } = await log.open([], { domains }));
    if (isOpen !== (session.interrupted.value !== null)) throw new Error('It is not as it was left.');
  }
  const finishing = finish(session, end === 'cancel' ? 'commit' : end);
  for (let step = 0; step < 6; step++) await advance(5_000);
  await finishing;
  if (returns) run.settle();
  for (let step = 0; step < 6; step++) await advance(5_000);
  release();
  await settle(20);
  if (!reload) await turn;
  const [record] = session.turns.value;
  const claim = record === undefined ? null : claimOf(record);
  const problems = end === 'dispose' && reload ? [] : checkOrder([...(await log.stored())]);
  await session.dispose();
  return { claim, world: [...world], record, problems };
}

describe.each(ends)('audit-A3 the turn of a call that was cut ends by %s', (end) => {
  const cases = Object.keys(acts).flatMap((act) =>
    reverts.flatMap((revert) => reloads.map((reload) => ({ act: act as keyof typeof acts, revert, reload }))),
  );
  it.each(drawnOf(cases, 7))(
    'names its effect: it $act, its effect $revert (reload: $reload)',
    async ({ act, revert, reload }) => {
      const { claim, world, record, problems } = await claimed(act, revert, end, reload);
      const where = JSON.stringify(
        { claim, world, record: { ...record, rounds: record?.rounds.flatMap(callsOf) } },
        null,
        1,
      );
      if (world.length > 0) expect(['there', 'perhaps'], where).toContain(claim);
      else expect(['gone', 'perhaps'], where).toContain(claim);
      expect(problems).toEqual([]);
    },
  );
});

describe('audit-A5 a call of an irreversible tool that was cut, and of which one effect cannot be taken back', () => {
  it('if a part of its effects stays after a late end, names that part, and shows nothing as reverted', async () => {
    const world = new Set<string>();
    const act = spyTool('act', {
      irreversible: true,
      execute: (_args, context) => {
        void f.session.cancel({ immediate: true });
        for (const name of ['A', 'B']) {
          world.add(name);
          const revert = () => (name === 'B' ? new Promise<void>(() => {}) : void world.delete(name));
          context.undo({ description: name, revert });
        }
      },
    });
    const f = fixture([callTools({ tool: 'd.act' }), say('Next.')], {
      domains: [{ id: 'd', tools: [act] }],
      limits: { revertTimeoutMs: 30 },
    });
    await rejection(f.session.send('Go'));
    await f.clock.advance(30);
    await settle(20);
    expect([...world]).toEqual(['B']);
    const [call] = f.session.turns.value[0]!.rounds.flatMap(callsOf);
    expect(call).toMatchObject({ late: { effect: 'revert-failed', description: 'B' } });
    expect(call?.reverted).toBeUndefined();
    await f.session.send('Next');
    const note = JSON.stringify(f.provider.requests.at(-1)?.messages.at(-1)?.parts[0]);
    expect(note).toContain(String.raw`\"B\" (d.act)`);
    expect(note).not.toMatch(/A; B|reverted: [^.]*A/);
    await f[Symbol.asyncDispose]();
  });
});
