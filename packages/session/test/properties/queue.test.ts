import { checkOrder, settle, validateHistory, validateRequest } from '@banister/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { apis, bodyOf } from '../../../../test/request-bodies.js';
import { QueuedSession, type GivenInput } from './queued-session.js';

/** The actions of a schedule, by name. */
const actions = {
  send: (queued: QueuedSession) => queued.give('send'),
  enqueue: (queued: QueuedSession) => queued.give('enqueue'),
  steer: (queued: QueuedSession) => queued.give('steer'),
  requeue: (queued: QueuedSession, detail: number) => queued.requeue(detail),
  dequeue: (queued: QueuedSession, detail: number) => queued.dequeue(detail),
  resumeQueue: ({ session }: QueuedSession) => void session.resumeQueue().catch(() => {}),
  cancel: ({ session }: QueuedSession, detail: number) =>
    void session.cancel({ immediate: detail % 3 === 0, sideEffects: detail % 5 === 0 ? 'keep' : 'rollback' }),
  undo: ({ session }: QueuedSession) => void session.undo({ force: true }).catch(() => {}),
  redo: ({ session }: QueuedSession) => void session.redo({ force: true }).catch(() => {}),
  retry: ({ session }: QueuedSession) => void session.retry().catch(() => {}),
  answer: (queued: QueuedSession, detail: number) => queued.answer(detail),
  endTool: (queued: QueuedSession, detail: number) => queued.endTool(detail),
} as const;
type Name = keyof typeof actions;

/** Mostly those that let turns go on. */
const names: readonly Name[] = [
  ...Array<Name>(10).fill('answer'),
  ...Array<Name>(5).fill('endTool'),
  ...Array<Name>(4).fill('enqueue'),
  ...Array<Name>(4).fill('steer'),
  'send',
  'send',
  'requeue',
  'requeue',
  'dequeue',
  'resumeQueue',
  'resumeQueue',
  'resumeQueue',
  'cancel',
  'undo',
  'redo',
  'retry',
];

/** Those of the model and of the app, which give no command. */
const ofModel: readonly Name[] = ['answer', 'endTool'];

const step = fc.record({
  name: fc.constantFrom(...names),
  detail: fc.nat(999),
  /** Few: two things happen nearly at once. */
  ticks: fc.constantFrom(200, 200, 200, 0, 1, 3, 7, 15),
  /** Whether timers run before the next step. */
  time: fc.boolean(),
  /** Whether a command is given by a subscriber of the next operation. */
  inside: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
});
const schedules = fc.noBias(fc.array(step, { minLength: 5, maxLength: 50, size: 'max' }));

test(
  'each user message joins a turn, starts a turn, is removed, or waits, and its promise settles once',
  { timeout: 3_600_000 },
  async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 2, 3, 8), schedules, async (maxRounds, schedule) => {
        const queued = new QueuedSession(maxRounds);
        for (const { name, detail, ticks, time, inside } of schedule) {
          const act = () => actions[name](queued, detail);
          if (inside && !ofModel.includes(name)) queued.reaction = act;
          else act();
          await settle(ticks);
          if (!time) continue;
          await queued.clock.advance(0);
          checkAtRest(queued);
        }
        await queued.clock.advance(0);
        checkAtRest(queued);
        const results = new Map(queued.inputs.map((input) => [input, input.result]));
        await checkHistory(queued);
        await queued.session.dispose();
        for (const run of queued.tool.runs) if (!run.settled) run.settle();
        await queued.clock.advance(60_000);
        for (const input of queued.inputs) {
          expect(input.settled).toBe(1);
          if (results.get(input) === null) expect(input.result).toMatch(/^(error|queued)/);
          const key = `${input.way}: ${input.result}, ${queued.placesOf(input).join()}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
        expect(checkOrder(queued.operations)).toEqual([]);
        expect(queued.mirror.state).toEqual(queued.session.state);
        expect(queued.provider.problems).toEqual([]);
        expect(queued.reported).toEqual([]);
        expect(queued.clock.pending).toBe(0);
      }),
      propertyRun('queue', 3_000),
    );
    if (process.env.PROPERTY_COUNTS !== undefined)
      console.log(
        [...counts]
          .map(([key, count]) => `${key} ${count}`)
          .sort()
          .join('\n'),
      );
    // Schedules in which no message waits, or joins, would pass as well.
    for (const way of [
      'enqueue: completed, started',
      'enqueue: cancelled, cancelled',
      'steer: joined, joined',
    ])
      expect(counts.get(way)).toBeGreaterThan(0);
  },
);

function checkAtRest(queued: QueuedSession): void {
  const { session, inputs } = queued;
  const { state } = session;
  expect(validateHistory(state.conversation.messages, { closed: state.liveTurn === null })).toEqual([]);
  if (state.queue.length === 0) expect(state.queuePaused).toBe(false);
  const steering = state.queue.filter((item) => item.steering);
  expect(state.queue.slice(0, steering.length)).toEqual(steering);
  if (state.liveTurn === null) expect(steering).toEqual([]);
  if (!state.isRunning && state.queue.length > 0) expect(state.queuePaused).toBe(true);
  for (const input of inputs) checkInput(queued, input);
}

/** Checks that a message is in exactly one place, and that its promise agrees. */
function checkInput(queued: QueuedSession, input: GivenInput): void {
  const places = queued.placesOf(input);
  const { way, result } = input;
  if (places.length === 0) return expect(result).toMatch(/^error (already-running|disposed)$/);
  expect(places).toHaveLength(1);
  const status = queued.statusOf(input);
  expect({ way, place: places[0], result: result ?? 'open' }).toEqual({
    way,
    place: places[0],
    result: expect.stringMatching(expectedOf(way, places[0]!, status)) as unknown,
  });
}

/** The results that a promise may have while its message is in a place. */
function expectedOf(way: GivenInput['way'], place: string, status: string | undefined): RegExp {
  // A message that did not join was queued, whatever became of it then.
  if (way === 'steer') {
    if (place === 'joined') return /^joined$/;
    if (place === 'steering') return /^open$/;
    return place === 'cancelled' ? /^(cancelled|queued)$/ : /^queued$/;
  }
  if (place === 'cancelled') return /^cancelled$/;
  if (place === 'queued' || status === 'running') return /^open$/;
  if (status === 'cancelled') return /^error cancelled$/;
  return status === 'failed' ? /^error / : new RegExp(`^${status}$`);
}

/** Checks that each API accepts the history, with another message of the user. */
async function checkHistory({ session }: QueuedSession): Promise<void> {
  const next = { id: 'next', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] } as const;
  const messages = [...session.state.conversation.messages, next];
  for (const api of apis) {
    const body = await bodyOf(api, { system: '', messages, tools: [], idempotencyKey: 'key' });
    expect(validateRequest(api, body)).toEqual([]);
  }
}
