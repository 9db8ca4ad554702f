import type { AgentSession, JsonObject, ToolCallView } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';

/** The state of the question about a call: open or answered; null if there was none. */
export type CallQuestion = 'asked' | 'approved' | 'declined' | 'not-answered' | null;

/** The answer to a question. */
export interface CallAnswer {
  readonly answer: Exclude<CallQuestion, 'asked'>;
  /** The arguments that the user approved instead of the agent's arguments; null if they were not edited. */
  readonly edited: JsonObject | null;
}

/** The answers to the questions of a turn, by the id of the call. */
export type Answers = Readonly<Record<string, CallAnswer>>;

const never: ReadonlySignal<CallQuestion> = signal(null);
const questions = new WeakMap<ToolCallView, ReadonlySignal<CallQuestion>>();
const answersOf = new WeakMap<AgentSession, ReadonlySignal<Answers>>();

/**
 * Returns the answer to the question about a waiting call. The session applies answers when the last open
 * question is answered; until then the call's own record does not show them. For a call that does not wait,
 * the signal is constant.
 */
export function questionAbout(session: AgentSession, call: ToolCallView): ReadonlySignal<CallQuestion> {
  if (call.state !== 'waiting') return never;
  let question = questions.get(call);
  if (!question) {
    const answers = answersIn(session);
    question = computed(() =>
      session.pendingConfirmations.value.some((request) => request.call.id === call.id)
        ? 'asked'
        : (answers.value[call.id]?.answer ?? null),
    );
    questions.set(call, question);
  }
  return question;
}

/**
 * Returns the answers of the running turn. From the first call on it follows the session until its end, for
 * all views.
 */
export function answersIn(session: AgentSession): ReadonlySignal<Answers> {
  const known = answersOf.get(session);
  if (known) return known;
  const answers = signal<Answers>({});
  answersOf.set(session, answers);
  session.operations$.subscribe((operation) => {
    if (operation.type === 'turnStarted') answers.value = {};
    if (operation.type !== 'confirmationResolved') return;
    const { callId, decision, arguments: edited = null } = operation;
    answers.value = { ...answers.peek(), [callId]: { answer: answerOf(decision), edited } };
  });
  return answers;
}

function answerOf(
  decision: 'approved' | 'edited' | 'denied' | 'timed-out' | 'cancelled',
): CallAnswer['answer'] {
  switch (decision) {
    case 'approved':
    case 'edited':
      return 'approved';
    case 'denied':
      return 'declined';
    case 'timed-out':
      return 'not-answered';
    case 'cancelled':
      // The turn is about to end, and its outcome replaces this.
      return null;
  }
}
