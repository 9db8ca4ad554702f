import { isAgentSessionError, type LocalAgentSession, type Input } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { messageOf } from '@banister/provider';
import { createCues, type Cues } from './cues.js';
import { createFileTray, type FileTray } from './file-tray.js';
import type { WorkMode } from './modes.js';
import { asksForTable, tableSchema } from './table-answer.js';

/** The message that is being written. */
export interface Composer {
  readonly text: ReadonlySignal<string>;
  readonly files: FileTray;
  /** Which changes the agent may make, and whether the user reviews them. */
  readonly mode: ReadonlySignal<WorkMode>;
  /** Except for the review, these are modes of the session, which also apply to the running turn. */
  choose(mode: WorkMode): void;
  /** Whether there is nothing to send. */
  readonly isEmpty: ReadonlySignal<boolean>;
  write(text: string): void;
  /** Sends a text as if the user had written it. The text in the field stays. */
  say(text: string): void;
  /** Puts a text into the field, below the text that is there. */
  keep(text: string): void;
  /** Puts a message back into the field that left no turn, and says why, unless the user stopped it. */
  giveBack(text: string, files: readonly File[], error: unknown): void;
  /** Shows why something failed; null removes that. */
  tell(error: unknown): void;
  /** Sends the text in the field, unless it is empty. While a turn runs, the message is queued. */
  send(): void;
  /** Sends the text in the field into the running turn. If no turn runs, the text starts a turn. */
  steer(): void;
}

export function createComposer(
  session: ReadonlySignal<LocalAgentSession>,
  cues: Cues = createCues(),
  /** Carries out a message that is a command of the page; returns false for a message that has to be sent. */
  takeTyped: (message: string) => boolean = () => false,
): Composer {
  const text = signal('');
  const files = createFileTray(cues);
  const isReviewed = signal(false);
  const mode = computed<WorkMode>(() =>
    isReviewed.value ? 'review' : ((session.value.mode.value ?? 'auto') as WorkMode),
  );
  const isEmpty = computed(() => text.value.trim() === '' && files.shown.value.length === 0);

  const giveBack: Composer['giveBack'] = (message, taken, error) => {
    const isStopped = isAgentSessionError(error) && error.code === 'cancelled';
    if (text.peek() === '') text.value = message;
    files.giveBack(taken, isStopped ? null : messageOf(error));
  };

  /** A steering message joins a turn that has begun, with the options of that turn. */
  const dispatch = (
    of: LocalAgentSession,
    way: 'send' | 'enqueue' | 'steer',
    input: Input,
  ): Promise<unknown> => {
    if (way === 'steer') return of.steer(input);
    return isReviewed.peek() ? of[way](input, { commit: 'review' }) : of[way](input);
  };

  const sendPlain = (
    of: LocalAgentSession,
    way: 'send' | 'enqueue' | 'steer',
    message: string,
    taken: readonly File[],
  ): void => {
    // A queued message may be removed again.
    if (taken.length === 0 && way !== 'send') return void dispatch(of, way, message);
    const before = idsOfTurns(of);
    dispatch(of, way, taken.length === 0 ? message : { text: message, files: taken }).catch(
      (error: unknown) => {
        // A turn has begun, and shows its own end.
        if (way === 'send' && idsOfTurns(of).some((id) => !before.includes(id))) return;
        if (session.peek() === of) giveBack(message, taken, error);
      },
    );
  };

  // A table that fails or is stopped leaves no turn. A model without structured output answers in Markdown.
  const askForTable = (message: string, taken: readonly File[]): void => {
    const of = session.peek();
    const input = taken.length === 0 ? message : { text: message, files: taken };
    of.generate(input, tableSchema).catch((error: unknown) => {
      if (isAgentSessionError(error) && error.code === 'unsupported') sendPlain(of, 'send', message, taken);
      else if (session.peek() === of) giveBack(message, taken, error);
    });
  };

  const submit = (running: 'enqueue' | 'steer'): void => {
    if (isEmpty.peek()) return;
    const message = text.peek().trim();
    const of = session.peek();
    const way = of.isRunning.peek() ? running : 'send';
    const isTable = way === 'send' && asksForTable(message);
    const taken = files.take();
    text.value = '';
    if (way === 'send' && taken.length === 0 && takeTyped(message)) return;
    if (isTable) askForTable(message, taken);
    else sendPlain(of, way, message, taken);
  };

  return {
    text,
    files,
    isEmpty,
    mode,
    choose(next) {
      isReviewed.value = next === 'review';
      // This may fail in a read-only chat. Then the picker shows the mode that is in force.
      session
        .peek()
        .setMode(next === 'review' ? 'auto' : next)
        .catch(() => {});
    },
    write(next) {
      text.value = next;
    },
    say(message) {
      if (asksForTable(message) && !session.peek().isRunning.peek()) askForTable(message, []);
      else sendPlain(session.peek(), 'send', message, []);
    },
    keep(kept) {
      const written = text.peek();
      text.value = written.trim() === '' ? kept : `${written}\n${kept}`;
    },
    giveBack,
    tell: (error) => files.giveBack([], error === null ? null : messageOf(error)),
    send: () => submit('enqueue'),
    steer: () => submit('steer'),
  };
}

/** Returns the ids of all turns of a session, including the running or interrupted turn. */
function idsOfTurns({ turns, liveTurn }: LocalAgentSession): readonly string[] {
  return [...turns.peek(), liveTurn.peek()].flatMap((turn) => turn?.id ?? []);
}
