import type { LocalAgentSession } from '@banister/session';
import { callTools, fail, finishWith, say, settle } from '@banister/testing';
import { killHistory } from './kill-history.js';
import type { Scenario, Stage, TurnScript } from './scenario.js';

const call = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const done = say('Done.', { usage: { inputTokens: 10, outputTokens: 5 } });
const mixed = [callTools(call('add', 'A'), call('paint', 'B')), callTools(call('add', 'C')), done];

/** The ids of the open effects. */
const openIds = ({ pendingReview }: LocalAgentSession): readonly string[] =>
  (pendingReview.value?.effects ?? []).map(({ toolCallId }) => toolCallId);

/** Sends the messages of the scenario for review, one by one. */
const reviewed =
  (...texts: readonly string[]) =>
  async ({ session }: Stage) => {
    for (const text of texts) await session.send(text, { commit: 'review' }).catch(() => {});
  };

const life = (
  name: string,
  review: Scenario['review'],
  turns: Readonly<Record<string, TurnScript>> = { Go: mixed },
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `review: ${name}`,
  turns,
  run: reviewed(...Object.keys(turns)),
  ...(review === undefined ? {} : { review }),
  ...more,
});

const acceptFirst = async (session: LocalAgentSession) => {
  await session.accept(openIds(session).slice(0, 1));
  await session.reject();
};
/** Each card has a path of its own. */
const apart = { paths: (title: string) => [title] };

/** Lives of a session whose user reviews turns. */
export const reviewScenarios: readonly Scenario[] = [
  life('all effects are accepted', (session) => session.accept()),
  life('all effects are rejected', (session) => session.reject()),
  life('the first effect is accepted, the others are rejected', acceptFirst),
  life('an accepted effect depends on a rejected one', async (session) => {
    const ids = openIds(session);
    await session.accept(ids.slice(1));
    await session.reject();
  }),
  life(
    'effects on paths of their own',
    async (session) => {
      const ids = openIds(session);
      await session.reject(ids.slice(0, 1));
      await session.accept(ids.slice(1, 2));
      await session.reject(ids.slice(2));
    },
    { Go: mixed },
    apart,
  ),
  life(
    'effects that cannot be moved, or not be taken back',
    async (session) => {
      await session.reject();
      await session.accept();
    },
    { Go: [callTools(call('glue', 'A'), call('mail', 'B'), call('nail', 'C'), call('add', 'D')), done] },
    apart,
  ),
  life('a cancel takes the rest back', async (session) => {
    await session.accept(openIds(session).slice(0, 1));
    await session.cancel();
  }),
  life('a cancel keeps the rest', async (session) => {
    await session.reject(openIds(session).slice(2));
    await session.cancel({ sideEffects: 'keep' });
  }),
  life('a cancel, with an effect that cannot be moved', (session) => session.cancel(), {
    Go: [callTools(call('add', 'A'), call('glue', 'B'), call('add', 'C')), done],
  }),
  life('a tool that stops the turn', acceptFirst, {
    Go: [callTools(call('add', 'A'), call('last', 'B')), done],
  }),
  life('an answer that was cut off', acceptFirst, { Go: [mixed[0]!, finishWith('length', 'So far')] }),
  life('a limit that stops', acceptFirst, undefined, {
    options: { limits: { maxToolCalls: 2, onTrip: 'stop' } },
  }),
  life('a turn that fails before it', undefined, { Go: [mixed[0]!, fail('auth')] }),
  life('a turn without effects, and one with them', (session) => session.accept(), {
    Go: [say('Hi.')],
    More: mixed,
  }),
  life('tools that succeed after their time was up', acceptFirst, {
    Go: [callTools(call('late', 'A'), call('add', 'B'), call('latePaint', 'C')), done],
  }),
  life('undo and redo afterwards', acceptFirst, undefined, {
    run: async (stage) => {
      await reviewed('Go')(stage);
      await stage.session.undo().catch(() => {});
      await stage.session.redo().catch(() => {});
    },
  }),
  life('a branch beside it', acceptFirst, undefined, {
    run: async (stage) => {
      await reviewed('Go')(stage);
      await stage.session.regenerate().catch(() => {});
    },
  }),
  life(
    'messages that steer, and wait',
    acceptFirst,
    { Go: mixed, More: [done], Also: [done] },
    {
      run: async ({ session }) => {
        const turn = session.send('Go', { commit: 'review' }).catch(() => {});
        const more = session.enqueue('More').catch(() => {});
        await settle();
        await session.steer('Also').catch(() => {});
        await Promise.all([turn, more]);
      },
    },
  ),
  ...[true, false].map((restores) =>
    life(
      `a history of the app that restores ${restores ? 'turns' : 'no turn'}`,
      acceptFirst,
      { Go: [callTools(call('add', 'A'), call('paint', 'B'), call('mail', 'C')), done] },
      { history: (app) => killHistory(app, restores) },
    ),
  ),
];
