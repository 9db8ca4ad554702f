// The stream of operations, for each kind of turn.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  checkOrder,
  fail,
  finishWith,
  forcedGuard,
  say,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import { stop, UndoHistory, type Operation, type SessionState, type Tool } from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, type Fixture, type FixtureOptions } from './fixture.js';

/** The types of the operations, without repetitions. */
const outlineOf = ({ observed }: Fixture) =>
  observed.types.filter((type, i, all) => type !== all[i - 1] || !['text', 'toolCallPartial'].includes(type));

const opening = ['turnStarted', 'messagesAppended', 'roundStarted', 'modelCallStarted'];

interface Scenario {
  readonly name: string;
  readonly open: () => Fixture;
  /** Runs after `send`, while the turn of the fixture runs. */
  readonly then?: (f: Fixture) => Promise<void>;
  readonly types: readonly string[];
}

const board = (options: FixtureOptions = {}, ...extra: readonly Tool[]) => ({
  domains: [createBoard().domain(...extra)],
  history: new UndoHistory(),
  ...options,
});

const scenarios: readonly Scenario[] = [
  {
    name: 'an answer of text',
    open: () => fixture([say(['He', 'llo'], { thinking: 'Hm', usage: { inputTokens: 1 } })]),
    types: [
      ...opening,
      'thinking',
      'text',
      'usage',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a tool call and an answer',
    open: () => fixture([callTools(addCard('A')), say('Done.')], board()),
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'rejected, denied, confirmed and failing calls',
    open: () =>
      fixture(
        [
          callTools(
            { tool: 'board.nowhere' },
            { tool: 'board.broken' },
            { tool: 'board.add', args: { title: 'deny' } },
            { tool: 'board.add', args: { title: 'ask' } },
          ),
          say('Done.'),
        ],
        board(
          {
            guards: [
              forcedGuard('guard', ({ arguments: { title } }) =>
                title === 'deny' ? { deny: 'no' } : title === 'ask' ? { confirm: 'Sure?' } : 'allow',
              ),
            ],
          },
          spyTool('broken', {
            execute: () => {
              throw new Error('broken');
            },
          }),
        ),
      ),
    then: async (f) => {
      await settle();
      void f.session.pendingConfirmation.value?.approve();
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolsRejected',
      'guardDecided',
      'guardDecided',
      'toolsRejected',
      'guardDecided',
      'confirmationRequested',
      'confirmationResolved',
      'toolStarted',
      'toolFailed',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a tool that stops the turn',
    open: () =>
      fixture(
        [callTools({ tool: 'board.stop' }, addCard('B'))],
        board({}, spyTool('stop', { execute: () => stop('enough') })),
      ),
    types: [
      ...opening,
      'toolCallPartial',
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'toolsRejected',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
  {
    name: 'an answer cut by the token limit',
    open: () => fixture([finishWith('length', 'Half an')]),
    types: [
      ...opening,
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
  {
    name: 'a retried request',
    open: () => fixture([fail('overloaded'), say('Done.')]),
    then: async (f) => f.clock.advance(500),
    types: [
      ...opening,
      'modelCallFinished',
      'retrying',
      'modelCallStarted',
      'text',
      'modelCallFinished',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'completed',
    ],
  },
  {
    name: 'a failed turn',
    open: () => fixture([fail('auth')]),
    types: [...opening, 'modelCallFinished', 'rollbackStarted', 'rolledBack', 'failed'],
  },
  {
    name: 'a cancelled turn',
    open: () => fixture([stall('Hm')]),
    then: async (f) => {
      await settle();
      void f.session.cancel();
    },
    types: [...opening, 'text', 'cancelRequested', 'rollbackStarted', 'rolledBack', 'cancelled'],
  },
  {
    name: 'a turn cancelled with its effects kept',
    open: () => fixture([callTools(addCard('A')), stall('Hm')], board()),
    then: async (f) => {
      await settle();
      void f.session.cancel({ sideEffects: 'keep' });
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'messagesAppended',
      'roundCompleted',
      'roundStarted',
      'modelCallStarted',
      'text',
      'cancelRequested',
      'commitStarted',
      'committed',
      'cancelled',
    ],
  },
  {
    name: 'a turn cancelled while it asks',
    open: () =>
      fixture([callTools(addCard('A'))], board({ guards: [forcedGuard('ask', { confirm: 'Sure?' })] })),
    then: async (f) => {
      await settle();
      void f.session.cancel();
    },
    types: [
      ...opening,
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'guardDecided',
      'confirmationRequested',
      'cancelRequested',
      'confirmationResolved',
      'rollbackStarted',
      'rolledBack',
      'cancelled',
    ],
  },
  {
    name: 'a limit that stops the turn in the middle of a batch',
    open: () =>
      fixture(
        [callTools(addCard('A'), addCard('B'))],
        board({ limits: { maxToolCalls: 1, onTrip: 'stop' } }),
      ),
    types: [
      ...opening,
      'toolCallPartial',
      'toolCallPartial',
      'modelCallFinished',
      'toolsRequested',
      'toolStarted',
      'effectRecorded',
      'toolCompleted',
      'toolsRejected',
      'commitStarted',
      'messagesAppended',
      'committed',
      'roundCompleted',
      'stopped',
    ],
  },
];

/** Plays a scenario to its end. */
async function play({ open, then }: Scenario): Promise<Fixture> {
  const f = open();
  const turn = f.session.send('Go');
  turn.catch(() => {});
  await then?.(f);
  await turn.catch(() => {});
  await settle();
  return f;
}

describe.each(scenarios)('$name', (scenario) => {
  it('the operations of every scenario follow the grammar', async () => {
    await using f = await play(scenario);
    const collapsed = (types: readonly string[]) =>
      types.filter((type, i) => type !== 'toolCallPartial' || type !== types[i - 1]);
    expect(collapsed(outlineOf(f))).toEqual(collapsed(scenario.types));
    expect(checkOrder(f.observed.operations)).toEqual([]);
  });

  it('the operations fold to the live state, at each operation', async () => {
    const f = scenario.open();
    await using _ = f;
    let mirror: SessionState = initialState();
    let compared = 0;
    // No subscriber here causes operations, so that the state is the one of the operation that is delivered.
    f.session.operations$.subscribe((operation) => {
      mirror = apply(mirror, operation);
      expect(mirror).toEqual(f.session.state);
      compared++;
    });
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await scenario.then?.(f);
    await turn.catch(() => {});
    await settle();
    expect(compared).toBe(f.observed.operations.length);
  });

  it('operations are JSON, except the request, which is shared by reference', async () => {
    await using f = await play(scenario);
    for (const operation of f.observed.operations) {
      const { request: _request, ...plain } = operation as Operation & { request?: unknown };
      const journalled = operation.type === 'modelCallStarted' ? plain : operation;
      expect(JSON.parse(JSON.stringify(journalled))).toEqual(journalled);
    }
    // A journal without the snapshots folds to the same state.
    const journal = f.observed.operations.map(
      (operation) =>
        JSON.parse(
          JSON.stringify({
            ...operation,
            request:
              operation.type === 'modelCallStarted'
                ? undefined
                : (operation as never as { request?: unknown }).request,
          }),
        ) as Operation,
    );
    expect(journal.reduce(apply, initialState())).toEqual(f.session.state);
  });

  it('operations are numbered consecutively, and have the time of the clock port and the id of their turn', async () => {
    await using f = await play(scenario);
    f.observed.operations.forEach((operation, index) => {
      expect(operation.sequence).toBe(index + 1);
      expect(operation.at).toBeGreaterThanOrEqual(1_000);
      expect(operation.turnId).toBe('turn_1');
    });
  });

  it('every completed round has requested = rejected + completed + failed', async () => {
    await using f = await play(scenario);
    let open = 0;
    for (const operation of f.observed.operations) {
      if (operation.type === 'toolsRequested') open += operation.calls.length;
      if (operation.type === 'toolsRejected') open -= operation.calls.length;
      if (operation.type === 'toolCompleted' || operation.type === 'toolFailed') open--;
      if (operation.type === 'roundCompleted') expect(open).toBe(0);
    }
  });
});
