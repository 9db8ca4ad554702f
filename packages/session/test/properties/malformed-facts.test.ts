// Whatever a provider, a tool, a hook, a history or a user hands in, the log has no gap and can be read.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { createMirror, type LocalAgentSession, type Operation, type ToolContext } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { readLog } from '@banister/session/log';
import { createVirtualClock, memoryLog, settle, type VirtualClock } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { filesLoaded } from '../files.js';
import { generateLoaded } from '../generate-loaded.js';
import { hooksLoaded } from '../hooks-loaded.js';
import { createSession, opened } from '../opened.js';
import { hostile, hostileNames, type Bad } from './hostile-values.js';
import { badCommands } from './malformed-commands.js';
import { badOptions, type MalformedOptions } from './malformed-options.js';
import { providerOf } from './malformed-provider.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([
    import('../../src/session/log-chunk.js'),
    import('../../src/session/end-interruption.js'),
    hooksLoaded(),
    filesLoaded(),
    generateLoaded(),
  ]),
);

const attempt = (run: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(run)
    .catch(() => {});

const before = ['idle', 'running', 'asking', 'after'] as const;
type Moment = (typeof before)[number];

function sessionOf(
  { tool, domain, ...options }: MalformedOptions,
  log: ReturnType<typeof memoryLog>,
  clock: VirtualClock,
) {
  const act = {
    name: 'act',
    description: 'Acts.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    undo: { revert: () => {}, reapply: () => {} },
    execute: (_args: unknown, context: ToolContext) => {
      context.undo({ description: 'x', revert: () => {}, reapply: () => {} });
      return { ok: true };
    },
    ...tool,
  };
  return createSession(
    [],
    {
      provider: providerOf(null),
      domains: [{ id: 'app', tools: [act as never], ...domain }],
      id: 'chat-1',
      log,
      limits: { maxRetries: 1 },
      ...options,
    },
    clock,
  );
}

async function play(
  session: LocalAgentSession,
  clock: VirtualClock,
  kind: string,
  run: () => unknown,
  moment: Moment,
) {
  const start = () =>
    attempt(() =>
      kind === 'generate'
        ? session.generate('Go', { type: 'object', properties: { n: { type: 'integer' } } })
        : session.send('Go', kind === 'review' ? { commit: 'review' } : {}),
    );
  if (moment === 'idle') void attempt(run);
  const turn = start();
  if (moment === 'running') void attempt(run);
  await settle(30);
  if (moment === 'asking') void attempt(run);
  await settle(30);
  void attempt(() => session.pendingConfirmation.value?.approve());
  await settle(30);
  void attempt(() => session.accept());
  for (let time = 0; time < 6; time++) {
    await clock.advance(20_000);
    void attempt(() => session.accept());
  }
  await turn;
  if (moment === 'after') void attempt(run);
  await settle(30);
  void attempt(() => session.undo());
  await clock.advance(20_000);
  void attempt(() => session.redo());
  await clock.advance(20_000);
  void attempt(() => session.cancel({ immediate: true }));
  await clock.advance(20_000);
  const more = attempt(() => session.send('Once more'));
  await settle(30);
  void attempt(() => session.pendingConfirmation.value?.approve());
  for (let time = 0; time < 6; time++) await clock.advance(20_000);
  await more;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const places = fc.record({
  option: fc.constantFrom(...Object.keys(badOptions)),
  command: fc.constantFrom('nothing', ...Object.keys(badCommands)),
  value: fc.constantFrom(...hostileNames),
  other: fc.constantFrom(...hostileNames),
  kind: fc.constantFrom('send', 'generate', 'review'),
  moment: fc.constantFrom(...before),
});

interface Case {
  readonly option: string;
  readonly command: string;
  readonly value: string;
  readonly other: string;
  readonly kind: string;
  readonly moment: Moment;
}

async function expectWholeLog({ option, command, value, other, kind, moment }: Case): Promise<void> {
  const clock = createVirtualClock(1_000);
  const log = { ...memoryLog({ clock }), snapshot: async () => {} };
  let made: ReturnType<typeof sessionOf>;
  try {
    made = sessionOf(badOptions[option]!(hostile[value] as Bad), log, clock);
  } catch (error) {
    // The value is refused where it is handed in.
    expect(error).toBeInstanceOf(Error);
    return;
  }
  const { session, operations } = made;
  const mirror = createMirror(plain(session.state) as never);
  session.operations$.subscribe((operation) => mirror.fold([plain(operation) as Operation]));
  await opened(session);
  await play(session, clock, kind, () => badCommands[command]!(session, hostile[other] as Bad), moment);

  const { state } = session;
  expect([state.isRunning, state.liveTurn, state.phase]).toEqual([false, null, 'idle']);
  expect(operations.map(({ sequence }) => sequence)).toEqual(operations.map((_, index) => index + 1));
  expect(plain(fold(initialState(), plain(operations) as readonly Operation[]))).toEqual(plain(state));
  expect(plain(mirror.state)).toEqual(plain(state));
  expect(session.link.value.saved).toBe(true);
  const { problem, state: read } = readLog(await log.load('chat-1'));
  expect(problem).toBeNull();
  expect(plain(read)).toEqual(plain(state));
  const follower = createSession([], { id: 'chat-1', log }, clock);
  await opened(follower.session);
  expect(plain(follower.session.state.turns)).toEqual(plain(state.turns));
  await follower.session.dispose();
  await session.dispose();
}

test('audit-A1 with any malformed input, the operations have no gap, and mirrors, followers and the stored log have the same state', async () => {
  await fc.assert(fc.asyncProperty(places, expectWholeLog), propertyRun('malformed facts', 4_000));
});
