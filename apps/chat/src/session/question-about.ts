import {
  computed,
  signal,
  type AgentSession,
  type ReadonlySignal,
  type ToolCallView,
} from '@handrail/session';

/** Where a call stands with the user: still asked about, answered, or never asked about (null). */
export type CallQuestion = 'asked' | 'approved' | 'declined' | 'not-answered' | null;

type Answers = Readonly<Record<string, CallQuestion>>;

const never: ReadonlySignal<CallQuestion> = signal(null);
const questions = new WeakMap<ToolCallView, ReadonlySignal<CallQuestion>>();
const answersOf = new WeakMap<AgentSession, ReadonlySignal<Answers>>();

/**
 * What became of the question about a call that waits. Answers count when the last question has one, and until then
 * nothing tells in the call itself. A call that does not wait follows nothing.
 */
export function questionAbout(session: AgentSession, call: ToolCallView): ReadonlySignal<CallQuestion> {
  if (call.state !== 'waiting') return never;
  let question = questions.get(call);
  if (!question) {
    const answers = followAnswers(session);
    question = computed(() =>
      session.pendingConfirmations.value.some((request) => request.call.id === call.id)
        ? 'asked'
        : (answers.value[call.id] ?? null),
    );
    questions.set(call, question);
  }
  return question;
}

/** From the first call that waits until the session ends, whichever view is there. */
function followAnswers(session: AgentSession): ReadonlySignal<Answers> {
  const known = answersOf.get(session);
  if (known) return known;
  const answers = signal<Answers>({});
  answersOf.set(session, answers);
  session.operations$.subscribe((operation) => {
    if (operation.type === 'turnStarted') answers.value = {};
    if (operation.type !== 'confirmationResolved') return;
    answers.value = { ...answers.peek(), [operation.callId]: answerOf(operation.decision) };
  });
  return answers;
}

function answerOf(
  decision: 'approved' | 'edited' | 'denied' | 'timed-out' | 'cancelled',
): Exclude<CallQuestion, 'asked'> {
  switch (decision) {
    case 'approved':
    case 'edited':
      return 'approved';
    case 'denied':
      return 'declined';
    case 'timed-out':
      return 'not-answered';
    case 'cancelled':
      // Its turn is about to end, which says more.
      return null;
  }
}
