import type { ConfirmationRequest, Decision, JsonObject, Verdict } from '@banister/session';
import type { HistoryFault } from '@banister/testing';
import type { BoardRun, RunEnding } from './board-domain.js';
import type { Action } from './schedule-actions.js';
import { domainIds } from './scheduled-app.js';
import type { OpenAnswer, ScheduledSession } from './scheduled-session.js';

/** Actions of the user and the app: answer, edit, end tools, cause faults. */
export function appActions(scheduled: ScheduledSession): readonly Action[] {
  const { app, watch, history, setup } = scheduled;
  return [
    ...toolActions(scheduled),
    ...confirmationActions(scheduled),
    ...answers(scheduled.decisions, 'handler', decisions),
    ...answers(scheduled.verdicts, 'slow guard', verdicts),
    ...answers(scheduled.summaries, 'context source', ['3 cards', '']),
    {
      name: 'user edit',
      weight: 1,
      run: (detail) => {
        const domain = domainIds[Math.floor(detail / 12) % domainIds.length]!;
        app.userEdit(domain, `p${detail % 3}`, detail % 4 === 0 ? null : `u${detail}`);
        watch.userChanged(domain, false);
      },
    },
    {
      name: 'reverts go wrong',
      weight: 0.2,
      run: (detail) => {
        watch.disturb();
        app.faults.kind = (['none', 'throw', 'hang'] as const)[detail % 3]!;
      },
    },
    {
      name: 'history goes wrong',
      weight: setup.history ? 0.1 : 0,
      run: (detail) => {
        const method = (['begin', 'record', 'commit', 'rollback', 'revert', 'reapply'] as const)[detail % 6]!;
        const fault = ([undefined, 'throw', 'hang'] as const)[Math.floor(detail / 6) % 3] as
          HistoryFault | undefined;
        scheduled.historyBroke = true;
        history.faults = fault === undefined ? {} : { [method]: fault };
      },
    },
  ];
}

const endings: readonly RunEnding[] = [
  ...Array<RunEnding>(12).fill('done'),
  'picture',
  'failed',
  'throw',
  'stop',
  'denied',
  'conflict',
  'unusable',
  'nothing',
];

function toolActions(scheduled: ScheduledSession): readonly Action[] {
  const { app } = scheduled;
  const open = app.runs.filter((run) => !run.settled);
  const wanted = open.filter((run) => !run.context.signal.aborted);
  const cut = open.filter((run) => run.context.signal.aborted);
  return [
    {
      name: 'tool ends',
      weight: wanted.length > 0 ? 12 : 0,
      run: (detail) => wanted[detail % wanted.length]!.end(endings[detail % endings.length]!),
    },
    {
      name: 'cut tool ends',
      weight: cut.length > 0 ? 2 : 0,
      run: (detail) => endCut(scheduled, cut[detail % cut.length]!, endings[detail % endings.length]!),
    },
    {
      name: 'progress',
      weight: open.length > 0 ? 1 : 0,
      run: (detail) => open[detail % open.length]!.context.progress({ percent: detail }),
    },
    {
      name: 'tool calls its session',
      weight: wanted.length > 0 ? 0.5 : 0,
      run: (detail) => callFromTool(scheduled, detail),
    },
  ];
}

/** A tool ends after its call was cut: its writes move the board outside of any turn. */
export function endCut({ watch }: ScheduledSession, run: BoardRun, ending: RunEnding): void {
  watch.blur();
  run.end(ending);
}

function callFromTool({ session, watch }: ScheduledSession, detail: number): void {
  const refused = [
    () => session.send('Inside'),
    () => session.undo(),
    () => session.redo(),
    () => session.retry(),
  ];
  refused[detail % refused.length]!().then(
    () => watch.say('a command inside a tool is accepted'),
    (error: { readonly code?: string }) => {
      if (error.code !== 'already-running')
        watch.say(`a command inside a tool is refused with ${error.code}`);
    },
  );
}

function confirmationActions({ session, watch, disposed }: ScheduledSession): readonly Action[] {
  const pending = session.state.pendingConfirmations.filter((request) => request.answeredBy === 'signal');
  const weight = pending.length > 0 && !disposed ? 4 : 0;
  const pick = (detail: number): ConfirmationRequest => pending[detail % pending.length]!;
  const answer = (request: ConfirmationRequest, decision: Decision, expected: 'accepted' | 'errors') => {
    void session.respond(request.id, decision).then((outcome) => {
      const kind = typeof outcome === 'string' ? outcome : 'errors';
      if (kind !== expected) watch.say(`an answer to an open request is ${kind}, not ${expected}`);
    });
    const isOpen = session.state.pendingConfirmations.some((other) => other.id === request.id);
    if (isOpen !== (expected === 'errors'))
      watch.say(`the request is ${isOpen ? 'still' : 'no longer'} open`);
  };
  return [
    {
      name: 'approve',
      weight: weight * 2,
      run: (detail) => answer(pick(detail), { approve: true }, 'accepted'),
    },
    {
      name: 'approve all',
      weight: pending.length > 1 ? 3 : 0,
      run: () => {
        for (const request of pending) {
          // The answer before may have closed this question.
          const open = session.state.pendingConfirmations.some((other) => other.id === request.id);
          if (open) answer(request, { approve: true }, 'accepted');
        }
      },
    },
    {
      name: 'approve edited',
      weight: weight / 2,
      run: (detail) => {
        const edited: JsonObject = { ...pick(detail).call.arguments, place: 'p1', title: `edited ${detail}` };
        answer(pick(detail), { approve: true, arguments: edited }, 'accepted');
      },
    },
    {
      name: 'approve with wrong arguments',
      weight: weight / 4,
      run: (detail) => answer(pick(detail), { approve: true, arguments: { place: 7 } }, 'errors'),
    },
    {
      name: 'deny',
      weight: weight / 2,
      run: (detail) => answer(pick(detail), { approve: false, reason: 'No.' }, 'accepted'),
    },
    {
      name: 'stale answer',
      weight: 0.2,
      run: (detail) => {
        const id = `confirmation_${1 + (detail % 5)}`;
        if (pending.some((request) => request.id === id)) return;
        void session.respond(id, { approve: true }).then((outcome) => {
          if (outcome !== 'already-settled')
            watch.say(`an answer to ${id}, which is not open, is ${JSON.stringify(outcome)}`);
        });
      },
    },
  ];
}

const decisions: readonly Decision[] = [
  { approve: true },
  { approve: true },
  { approve: false },
  { approve: true, arguments: { place: 'p2', title: 'by the handler' } },
  { approve: true, arguments: { wrong: true } },
  'yes' as unknown as Decision,
];

const verdicts: readonly Verdict[] = [
  'allow',
  'allow',
  { confirm: 'Slowly?' },
  { deny: 'Slowly no.' },
  true as unknown as Verdict,
];

function answers<T>(asked: readonly OpenAnswer<T>[], who: string, values: readonly T[]): readonly Action[] {
  const open = asked.filter((one) => !one.answered);
  return open.length === 0
    ? []
    : [
        {
          name: `${who} answers`,
          weight: 8,
          run: (detail: number) => open.at(-1)!.resolve(values[detail % values.length]!),
        },
        {
          name: `${who} throws`,
          weight: 0.5,
          run: () => open.at(-1)!.reject(new Error(`The ${who} broke.`)),
        },
      ];
}
