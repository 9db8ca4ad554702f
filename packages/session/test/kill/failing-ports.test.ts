// A turn that goes on although a port of the app fails.
import { beforeAll, describe, expect, it } from 'vitest';
import { UndoHistory, type Ports, type UndoProvider } from '@banister/session';
import { callTools, checkOrder, say, type VirtualClock } from '@banister/testing';
import { sampleSize } from '../../../../test/kit/sample-size.js';
import { opened, recordsOf } from '../opened.js';
import { copyOf, cutsOf, type Cut, type Played } from './cuts.js';
import { reportProblems } from './effect-account.js';
import { ended, stageOf, type Scenario } from './scenario.js';

// The code of resume is loaded before a virtual clock could give up on it.
beforeAll(() => import('../../src/session/end-interruption.js'));

const call = (tool: string, title: string, more = {}) => ({
  tool: `board.${tool}`,
  args: { title, ...more },
});
const scenario: Scenario = {
  name: 'data, closures, and an effect that cannot be taken back',
  turns: {
    Go: [
      callTools(call('add', 'A'), call('paint', 'B'), call('mail', 'C')),
      callTools(call('both', 'D', { second: 'E' })),
      say('Done.'),
    ],
  },
};

/** Throws at one of its calls, from the moment on at which it is armed. */
class Fault {
  isArmed = false;
  private calls = 0;

  constructor(private readonly at: number) {}

  get hasStruck(): boolean {
    return this.calls >= this.at;
  }

  readonly strike = (): void => {
    if (this.isArmed && ++this.calls === this.at) throw new Error('A port failed.');
  };
}

const builtIn = new UndoHistory();
const failingHistory = (name: string, { strike }: Fault): UndoProvider => ({
  begin: (label) => {
    if (name === 'begin') strike();
    const transaction = builtIn.begin(label) as Awaited<ReturnType<UndoProvider['begin']>>;
    return {
      record: (entry) => {
        if (name === 'record') strike();
        return transaction.record(entry);
      },
      commit: async () => {
        if (name === 'commit') strike();
        return transaction.commit();
      },
      rollback: async (expected) => {
        if (name === 'rollback') strike();
        return transaction.rollback(expected);
      },
    };
  },
  restore: (turnId, entries) => {
    if (name === 'restore') strike();
    return builtIn.restore(turnId, entries);
  },
});

const failingPorts =
  (name: string, { strike }: Fault) =>
  (clock: VirtualClock): Partial<Ports> => {
    const struck = <Args extends unknown[], R>(run: (...args: Args) => R) => {
      return (...args: Args): R => {
        strike();
        return run(...args);
      };
    };
    let ids = 0;
    const next = (kind: string) => `${kind}-again-${ids++}`;
    return {
      clock: {
        ...clock,
        now: name === 'now' ? struck(() => clock.now()) : () => clock.now(),
        schedule:
          name === 'schedule'
            ? struck((callback, ms) => clock.schedule(callback, ms))
            : (callback, ms) => clock.schedule(callback, ms),
      },
      ids: { next: name === 'ids' ? struck(next) : next },
    };
  };

/** A clock is needed at every step: it fails at the start of the turn only. */
const mostCalls = (name: string) => (name === 'now' || name === 'schedule' ? 3 : 40);

interface Ended {
  readonly problems: readonly string[];
  readonly hasStruck: boolean;
}

async function endWithFault(
  played: Played,
  cut: Cut,
  by: 'resume' | 'abandon',
  name: string,
  at: number,
): Promise<Ended> {
  const fault = new Fault(at);
  const log = played.operations.slice(0, cut.length);
  const world = copyOf(cut.world);
  const isPort = ['now', 'schedule', 'ids'].includes(name);
  const stage = stageOf(
    isPort ? scenario : { ...scenario, options: { history: failingHistory(name, fault) } },
    world,
    {
      restored: { snapshot: null, records: recordsOf([log]) },
      isResumed: true,
      ...(isPort ? { ports: failingPorts(name, fault) } : {}),
    },
  );
  const { session, operations, clock } = stage;
  await opened(session);
  if (session.interrupted.value === null) return { problems: [], hasStruck: false };
  fault.isArmed = true;
  const problems: string[] = [];
  try {
    await ended(session[by](), clock);
  } catch (error) {
    problems.push(String(error));
  }
  fault.isArmed = false;
  // A command that was refused before anything happened may be given again.
  if (session.interrupted.value !== null && operations.length === 1) await ended(session[by](), clock);
  const { state } = session;
  if (state.interrupted !== null || state.isRunning || state.liveTurn !== null)
    problems.push(`it is not over: ${state.phase}`);
  const all = [...log, ...operations];
  problems.push(...checkOrder(all), ...reportProblems(state, all, world));
  await session.dispose();
  return { problems, hasStruck: fault.hasStruck };
}

describe('a turn that goes on, or is taken back, although a port fails', () => {
  it.each(['now', 'schedule', 'ids', 'begin', 'record', 'commit', 'rollback', 'restore'])(
    'ends, with each of its effects in its report once: %s',
    async (name) => {
      const played = await cutsOf(scenario);
      const problems: string[] = [];
      const every = Math.ceil(played.cuts.length / sampleSize(played.cuts.length));
      for (const [index, cut] of played.cuts.entries()) {
        if (index % every > 0) continue;
        for (const by of ['resume', 'abandon'] as const)
          for (let at = 1, hasStruck = true; hasStruck && at < mostCalls(name); at++) {
            const end = await endWithFault(played, cut, by, name, at);
            ({ hasStruck } = end);
            const { type } = played.operations[cut.length - 1]!;
            problems.push(...end.problems.map((one) => `${by} at ${type} (${index}), call ${at}: ${one}`));
          }
      }
      expect(problems.slice(0, 12)).toEqual([]);
    },
  );
});
