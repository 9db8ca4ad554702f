import type { LocalAgentSession, Operation } from '@banister/session';
import { callTools, say, settle } from '@banister/testing';
import { filter, take } from 'rxjs';
import type { KillApp } from './kill-app.js';
import { killHistory } from './kill-history.js';
import type { Scenario, Stage } from './scenario.js';

const card = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const done = say('Done.');
const turn = (...calls: readonly ReturnType<typeof card>[]) => [callTools(...calls), done];

/** Three turns, and those that may stand beside them. */
const turns = {
  One: turn(card('add', 'A'), card('ensure', 'B')),
  Two: turn(card('add', 'C')),
  Three: [callTools(card('add', 'D')), callTools(card('half', 'E')), done],
  Other: turn(card('add', 'F')),
};
const byClosures = {
  One: turn(card('paint', 'A'), card('paint', 'B')),
  Two: turn(card('paint', 'C'), card('add', 'D')),
  Other: turn(card('paint', 'E')),
};
const withMail = { ...turns, Two: turn(card('add', 'C'), card('mail', 'M')) };

/** Sends these messages, then runs the rest of a life. A command that rejects ends nothing. */
const after =
  (texts: readonly string[], rest: (session: LocalAgentSession, ids: readonly string[]) => readonly Step[]) =>
  async ({ session }: Stage): Promise<void> => {
    for (const text of texts) await session.send(text);
    const ids = session.turns.value.map(({ id }) => id);
    for (const step of rest(session, ids)) await step().catch(() => {});
  };

type Step = () => Promise<unknown>;

/** Cancels a session at the nth operation of a type, after its delivery. */
const cancelAt = (session: LocalAgentSession, type: Operation['type'], nth = 1, immediate = false) =>
  session.operations$
    .pipe(
      filter((operation) => operation.type === type),
      take(nth),
    )
    .subscribe({ complete: () => queueMicrotask(() => void session.cancel({ immediate })) });

const all = ['One', 'Two', 'Three'];

/** Returns the id of the turn at a place of the branch of a turn. */
const sibling = (session: LocalAgentSession, id: string, place: number) =>
  session.branches.value[id]!.ids[place]!;

/** Lives of a session whose user goes back in the conversation. */
export const branchScenarios: readonly Scenario[] = [
  {
    name: 'a turn that is regenerated',
    turns,
    run: after(all, (session, [, two]) => [() => session.regenerate({ turnId: two! })]),
  },
  {
    name: 'the first message edited, and the turn beside it regenerated',
    turns,
    run: after(all, (session, [one]) => [() => session.edit(one!, 'Other'), () => session.regenerate()]),
  },
  {
    name: 'a conversation that is cleared, and goes on; the branch before it, and the one behind it',
    turns,
    run: after(['One', 'Two'], (session, [one, two]) => [
      () => session.clear(),
      () => session.send('Three'),
      () => session.send('Other'),
      () => session.regenerate(),
      () => session.switchTo(two!, { effects: 'follow' }),
      () => session.clear(),
      () => session.undo(),
      () => session.edit(one!, 'Other'),
    ]),
  },
  {
    name: 'turns regenerated and edited, with closures',
    turns: byClosures,
    run: after(['One', 'Two'], (session, [one]) => [
      () => session.regenerate(),
      () => session.edit(one!, 'Other'),
    ]),
  },
  {
    name: 'turns regenerated and edited, whose effects are kept',
    turns: byClosures,
    run: after(['One', 'Two'], (session, [one]) => [
      () => session.regenerate({ effects: 'keep' }),
      () => session.edit(one!, 'Other', { effects: 'keep' }),
      () => session.undo(),
    ]),
  },
  {
    name: 'an edit that an effect is in the way of, and that is forced then',
    turns: withMail,
    run: after(all, (session, [one]) => [
      () => session.edit(one!, 'Other'),
      () => session.edit(one!, 'Other', { force: true }),
    ]),
  },
  {
    name: 'a forced edit after a change by the user',
    turns,
    run: async (stage) => {
      const { session, app } = stage;
      await after(all, (_session, [one]) => [
        () => session.undo(),
        async () => app.ensure('Mine', 'user'),
        () => session.edit(one!, 'Other'),
        () => session.edit(one!, 'Other', { force: true }),
      ])(stage);
    },
  },
  {
    name: 'another branch, whose effects stay',
    turns,
    run: after(all, (session, [one, two]) => [
      () => session.edit(two!, 'Other', { effects: 'keep' }),
      () => session.switchTo(two!),
      () => session.undo(),
      () => session.edit(one!, 'Other'),
      () => session.switchTo(one!),
    ]),
  },
  {
    name: 'another branch, which the app follows with undo and redo',
    turns,
    run: after(all, (session, [, two]) => [
      () => session.edit(two!, 'Other'),
      () => session.switchTo(two!, { effects: 'follow' }),
      () => session.switchTo(sibling(session, two!, 1), { effects: 'follow' }),
    ]),
  },
  {
    name: 'another branch, which the app follows with closures',
    turns: byClosures,
    run: after(['One', 'Two'], (session, [one]) => [
      () => session.edit(one!, 'Other'),
      () => session.switchTo(one!, { effects: 'follow' }),
    ]),
  },
  {
    name: 'the branch that is shown already, which the app follows',
    turns,
    run: after(all, (session, [, two, three]) => [
      () => session.edit(two!, 'Other'),
      () => session.switchTo(three!),
      () => session.switchTo(three!, { effects: 'follow' }),
    ]),
  },
  {
    name: 'what the user undid stays undone in a branch that the app follows',
    turns,
    run: after(all, (session, [, two]) => [
      () => session.undo(),
      () => session.edit(two!, 'Other'),
      () => session.undo(),
      () => session.switchTo(two!, { effects: 'follow' }),
      () => session.redo(),
    ]),
  },
  ...walkedBack(),
  ...cancelled(),
  {
    name: 'an edit while a message waits: the queue pauses, and goes on',
    turns: { ...turns, Also: [done, done, done, done] },
    run: async ({ session }) => {
      await session.send('One');
      await session.send('Two');
      const [one, two] = session.turns.value;
      void session.regenerate({ turnId: two!.id }).catch(() => {});
      const more = session.enqueue('Three');
      const steered = session.steer('Also');
      await settle();
      await session.cancel().catch(() => {});
      await session.edit(one!.id, 'Other').catch(() => {});
      await session.resumeQueue();
      await Promise.all([more, steered].map((promise) => promise.catch(() => {})));
    },
  },
  ...[true, false].map((restores) => withHistory(restores)),
];

/** Lives in which an effect cannot be moved: what was moved before is walked back. */
function walkedBack(): readonly Scenario[] {
  const edits = after(all, (session, [one]) => [() => session.edit(one!, 'Other')]);
  const lives: readonly (readonly [string, Scenario['turns']])[] = [
    ['an effect that cannot be taken back', { ...turns, One: turn(card('add', 'A'), card('glue', 'B')) }],
    [
      'one whose effects are closures',
      { ...byClosures, One: turn(card('nail', 'A'), card('paint', 'B')), Three: turn(card('paint', 'F')) },
    ],
    [
      'effects that cannot be made again on the way back',
      { ...turns, One: turn(card('glue', 'A')), Two: turn(card('fragile', 'B'), card('add', 'C')) },
    ],
    [
      'a turn that cannot be made again on the way back',
      { ...turns, One: turn(card('glue', 'A')), Two: turn(card('once', 'B')) },
    ],
  ];
  return [
    ...lives.map(([name, scripts]): Scenario => ({
      name: `an edit that meets ${name}`,
      turns: scripts,
      run: edits,
    })),
    {
      name: 'a branch that the app cannot follow, since an effect cannot be made again',
      turns: { ...turns, Two: turn(card('fragile', 'C')) },
      run: after(all, (session, [one]) => [
        () => session.edit(one!, 'Other'),
        () => session.switchTo(one!, { effects: 'follow' }),
        () => session.switchTo(one!, { effects: 'follow', force: true }),
      ]),
    },
  ];
}

/** Lives in which a branch command is cancelled. */
function cancelled(): readonly Scenario[] {
  const lives = [
    ['in its first step', 'undoStarted', 1, false],
    ['in its second step', 'undoStarted', 2, true],
    ['between its steps', 'undone', 2, false],
    ['in its last step', 'undoStarted', 3, false],
  ] as const;
  return [
    ...lives.map(([name, type, nth, immediate]): Scenario => ({
      name: `an edit that is cancelled ${name}`,
      turns,
      run: after(all, (session, [one]) => [
        async () => {
          cancelAt(session, type, nth, immediate);
          await session.edit(one!, 'Other');
        },
      ]),
    })),
    {
      name: 'a branch that the app follows, cancelled while it makes effects again',
      turns,
      run: after(all, (session, [one]) => [
        () => session.edit(one!, 'Other'),
        async () => {
          cancelAt(session, 'redoStarted', 2);
          await session.switchTo(one!, { effects: 'follow' });
        },
      ]),
    },
  ];
}

/** A life of a session whose app has its own history. */
function withHistory(restores: boolean): Scenario {
  return {
    name: `branches, with a history that restores ${restores ? 'turns' : 'no turn'}`,
    history: (app: KillApp) => killHistory(app, restores),
    turns: { ...byClosures, Two: turn(card('add', 'C'), card('paint', 'D')) },
    run: after(['One', 'Two'], (session, [one]) => [
      () => session.edit(one!, 'Other'),
      () => session.switchTo(one!, { effects: 'follow' }),
      () => session.regenerate({ effects: 'keep' }),
    ]),
  };
}
