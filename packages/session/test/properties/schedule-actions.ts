import { settle } from '@banister/testing';
import { isAgentSessionError, type Operation, type SendOptions } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { appActions } from './app-actions.js';
import { providerActions } from './provider-actions.js';
import { places, type ScheduledSession } from './scheduled-session.js';

/** One action that is possible now. */
export interface Action {
  readonly name: string;
  /** How often it is chosen, compared to the others. */
  readonly weight: number;
  /** @param detail any number from 0: varies what exactly happens */
  readonly run: (detail: number) => void | Promise<void>;
}

/** Everything that can happen to a session in its present state. Simple and early things first: shrinking leads there. */
export function actionsOf(scheduled: ScheduledSession): readonly Action[] {
  return [
    ...commands(scheduled),
    ...providerActions(scheduled),
    ...appActions(scheduled),
    ...(scheduled.reaction === null ? reactions(scheduled) : []),
  ];
}

const isBusy = ({ session }: ScheduledSession) =>
  session.state.isRunning || session.state.phase === 'rolling-back';

function commands(scheduled: ScheduledSession): readonly Action[] {
  const { session, disposed } = scheduled;
  const { isRunning } = session.state;
  const idle = !isBusy(scheduled) && !disposed;
  return [
    { name: 'send', weight: idle ? 14 : 0.4, run: (detail) => sendCommand(scheduled, detail) },
    { name: 'turn$', weight: idle ? 4 : 0, run: (detail) => subscribeTurn(scheduled, detail) },
    { name: 'advance', weight: isRunning ? 0.4 : 0.7, run: (detail) => advance(scheduled, detail) },
    { name: 'cancel', weight: isRunning ? 0.4 : 0.2, run: (detail) => cancelCommand(scheduled, detail) },
    {
      name: 'abort signal',
      weight: isRunning && scheduled.signals.length > 0 ? 0.2 : 0,
      run: () => scheduled.signals.at(-1)?.abort(),
    },
    {
      name: 'unsubscribe turn$',
      weight: scheduled.turnStreams.some(({ subscription }) => !subscription.closed) ? 0.4 : 0,
      run: () => scheduled.turnStreams.at(-1)?.subscription.unsubscribe(),
    },
    {
      name: 'undo',
      weight: session.state.canUndo && idle ? 20 : 0.3,
      run: (detail) => undoCommand(scheduled, 'undo', detail),
    },
    {
      name: 'redo',
      weight: session.state.canRedo && idle ? 25 : 0.3,
      run: (detail) => undoCommand(scheduled, 'redo', detail),
    },
    {
      name: 'redo that fails',
      weight: session.state.canRedo && idle ? 10 : 0,
      run: (detail) => failingRedo(scheduled, detail),
    },
    { name: 'retry', weight: idle ? 2 : 0.2, run: () => retryCommand(scheduled) },
    { name: 'configure', weight: 0.3, run: () => configureCommand(scheduled) },
    {
      name: 'join',
      weight: scheduled.readers.length < 2 ? 0.4 : 0,
      run: () => scheduled.join('no operation'),
    },
    {
      name: 'join inside',
      weight: scheduled.readers.length < 3 && scheduled.joinsIn === null ? 0.8 : 0,
      run: (detail) => {
        scheduled.joinsIn = places[detail % places.length]!;
      },
    },
    {
      name: 'leave',
      weight: scheduled.readers.length > 0 ? 0.05 : 0,
      run: () => scheduled.readers.pop()?.leave(),
    },
    { name: 'save', weight: 0.3, run: () => void session.save() },
    { name: 'dispose', weight: 0.05, run: () => disposeCommand(scheduled) },
  ];
}

/** Expects a command to be refused: with a code, and without any change. */
function expectRefusal(
  scheduled: ScheduledSession,
  name: string,
  code: string,
  run: () => Promise<unknown>,
): void {
  const { session, watch } = scheduled;
  const { state } = session;
  const length = watch.log.length;
  const command = scheduled.give(name, run());
  if (session.state !== state || watch.log.length !== length)
    watch.say(`a refused ${name} changes something`);
  command.expected = code;
}

const picture = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };

function sendCommand(scheduled: ScheduledSession, detail: number): void {
  const { session, disposed } = scheduled;
  const text = `Message ${detail}`;
  const input = detail % 5 === 4 ? { text, images: [picture] } : text;
  const send = () => session.send(input, optionsOf(scheduled, detail));
  if (disposed) expectRefusal(scheduled, 'send', 'disposed', send);
  else if (isBusy(scheduled)) expectRefusal(scheduled, 'send', 'already-running', send);
  else if (detail % 17 === 16)
    expectRefusal(scheduled, 'empty send', 'invalid-input', () => session.send('  '));
  else if (detail % 13 === 12) {
    const signal = AbortSignal.abort();
    expectRefusal(scheduled, 'send aborted', 'cancelled', () => session.send('Hello', { signal }));
  } else {
    const isAlone = scheduled.reaction === null;
    scheduled.give('send', send());
    // A subscriber may have cancelled the turn already.
    if (isAlone && !session.isRunning.peek()) scheduled.watch.say('isRunning is false when send returns');
  }
}

function optionsOf(scheduled: ScheduledSession, detail: number): SendOptions {
  if (detail % 3 === 1) return { signal: scheduled.newSignal() };
  return detail % 7 === 2 ? { limits: { timeoutMs: 10_000 } } : {};
}

function subscribeTurn(scheduled: ScheduledSession, detail: number): void {
  const operations: Operation[] = [];
  const subscription = scheduled.session.turn$(`Stream ${detail}`, optionsOf(scheduled, detail)).subscribe({
    next: (operation) => operations.push(operation),
    error: (error: unknown) => scheduled.watch.say(`turn$ errors: ${String(error)}`),
    complete: () => {
      const last = operations.at(-1);
      if (last === undefined || !isTerminal(last)) scheduled.watch.say('turn$ completes without a terminal');
    },
  });
  scheduled.turnStreams.push({ subscription, operations });
}

function cancelCommand(scheduled: ScheduledSession, detail: number): void {
  const options = [
    {},
    { immediate: true },
    { sideEffects: 'keep' },
    { immediate: true, sideEffects: 'keep' },
    {},
  ] as const;
  scheduled.give('cancel', scheduled.session.cancel(options[detail % options.length]));
}

function undoCommand(scheduled: ScheduledSession, direction: 'undo' | 'redo', detail: number): void {
  const { session, watch, disposed } = scheduled;
  const force = detail % 4 === 3;
  const run = () => session[direction]({ force });
  const code = disposed
    ? 'disposed'
    : isBusy(scheduled)
      ? 'already-running'
      : watch.undo.rejectionOf(direction, force);
  if (typeof code === 'string') expectRefusal(scheduled, direction, code, run);
  else {
    const possible = direction === 'undo' ? session.state.canUndo : session.state.canRedo;
    if (code === null && !possible) watch.say(`${direction} is possible, and the state says that it is not`);
    const command = scheduled.give(direction, run());
    if (code === null) command.expected = 'resolved';
  }
}

/** A redo that fails at once, or after one or two steps of it. */
async function failingRedo(scheduled: ScheduledSession, detail: number): Promise<void> {
  const { watch, app } = scheduled;
  const { kind } = app.faults;
  watch.disturb();
  // Once: if the revert of the steps before it failed as well, a part of the call would stay in effect.
  app.faults.kind = 'throw-once';
  app.faults.spared = detail % 3;
  undoCommand(scheduled, 'redo', detail);
  await settle();
  app.faults.kind = kind;
  app.faults.spared = 0;
}

function retryCommand(scheduled: ScheduledSession): void {
  const { session, disposed } = scheduled;
  const retry = () => session.retry();
  const last = session.state.turns.at(-1)?.status;
  if (disposed) expectRefusal(scheduled, 'retry', 'disposed', retry);
  else if (isBusy(scheduled)) expectRefusal(scheduled, 'retry', 'already-running', retry);
  else if (last !== 'failed' && last !== 'cancelled')
    expectRefusal(scheduled, 'retry', 'nothing-to-retry', retry);
  else scheduled.give('retry', retry());
}

function configureCommand(scheduled: ScheduledSession): void {
  const { disposed } = scheduled;
  try {
    scheduled.session.configure({ role: 'You keep another board.' });
    if (disposed) scheduled.watch.say('a disposed session is configured');
  } catch (error) {
    if (!disposed || !isAgentSessionError(error)) throw error;
  }
}

export function disposeCommand(scheduled: ScheduledSession): void {
  scheduled.disposed = true;
  scheduled.give('dispose', scheduled.session.dispose());
}

async function advance({ clock }: ScheduledSession, detail: number): Promise<void> {
  const times = [10, 600, 2_500, 5_500, 11_000, 31_000, 46_000, 61_000];
  await clock.advance(times[detail % times.length]!);
}

/** Commands that a subscriber calls at the next operation. */
function reactions(scheduled: ScheduledSession): readonly Action[] {
  const react = (
    name: string,
    weight: number,
    run: (detail: number, operation: Operation) => void,
  ): Action => ({
    name: `at the next operation: ${name}`,
    weight,
    run: (detail) => {
      scheduled.reaction = (operation) => run(detail, operation);
    },
  });
  const { session } = scheduled;
  return [
    react('cancel', 0.15, (detail) => cancelCommand(scheduled, detail)),
    react('send', 0.1, () => void scheduled.give('send in a subscriber', session.send('At once'))),
    react('retry', 0.1, () => void scheduled.give('retry in a subscriber', session.retry())),
    react('undo', 0.1, () => void scheduled.give('undo in a subscriber', session.undo())),
    react('unsubscribe turn$', 0.1, () => scheduled.turnStreams.at(-1)?.subscription.unsubscribe()),
    react('user edit', 0.15, (detail) => {
      scheduled.app.userEdit('board', `p${detail % 3}`, 'by the user');
      scheduled.watch.userChanged('board', true);
    }),
    react('approve all', 0.2, () => {
      for (const { id } of session.state.pendingConfirmations) void session.respond(id, { approve: true });
    }),
    react('leave', 0.05, () => scheduled.readers.pop()?.leave()),
    react('dispose', 0.02, () => disposeCommand(scheduled)),
  ];
}
