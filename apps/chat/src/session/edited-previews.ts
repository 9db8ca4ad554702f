import type { AgentSession, CallPreview, JsonObject } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import type { Clock } from '@banister/provider';

/** A question whose arguments the user has edited and whose tool has a preview. */
export interface EditedQuestion {
  /** The id of the confirmation. */
  readonly id: string;
  readonly arguments: JsonObject;
  /** Whether the session accepts the arguments. Without that, there is no preview. */
  readonly isValid: boolean;
  /** The digest of the question's own preview. A different digest means that the app has changed. */
  readonly digest: string | undefined;
}

/** The preview of edited arguments. */
export interface EditedPreview {
  /** The newest preview; null before the first. */
  readonly preview: CallPreview | null;
  /**
   * `current`: the preview is of these arguments. `busy`: it is being made. `waiting`: it cannot be made
   * until the arguments are valid.
   */
  readonly state: 'current' | 'busy' | 'waiting';
  /** For an approval of exactly this preview; undefined if it is not current, or could not be made. */
  readonly digest: string | undefined;
}

/** The previews of the questions that the user edits. */
export interface EditedPreviews {
  of(id: string): ReadonlySignal<EditedPreview | null>;
  /** Called with all edited questions after each change. The previews of other questions are dropped. */
  follow(questions: readonly EditedQuestion[]): void;
  /** Makes the preview of a question again, although its arguments are the same. */
  again(id: string): void;
}

/** A preview is requested when the user has not typed for this long, in milliseconds. */
const PAUSE_MS = 300;

const noPreview = () => signal<EditedPreview | null>(null);

type PreviewSignal = ReturnType<typeof noPreview>;

/** A question that is followed. */
interface Followed {
  question: EditedQuestion;
  /** Cancels the pending preview. */
  callOff(): void;
}

export function createEditedPreviews(
  session: ReadonlySignal<Pick<AgentSession, 'previewOf'>>,
  clock: Pick<Clock, 'schedule'>,
): EditedPreviews {
  const followed = new Map<string, Followed>();
  const shown = new Map<string, PreviewSignal>();

  const signalOf = (id: string): PreviewSignal => {
    const known = shown.get(id) ?? noPreview();
    shown.set(id, known);
    return known;
  };

  const begin = (question: EditedQuestion): void => {
    const { id, isValid } = question;
    followed.get(id)?.callOff();
    const state = signalOf(id);
    state.value = {
      preview: state.peek()?.preview ?? null,
      state: isValid ? 'busy' : 'waiting',
      digest: undefined,
    };
    let isOff = false;
    const ask = async (): Promise<void> => {
      const made = await madeOf(session.peek(), question);
      if (made !== null && !isOff) state.value = made;
    };
    const stop = isValid ? clock.schedule(() => void ask(), PAUSE_MS) : () => {};
    const callOff = (): void => {
      isOff = true;
      stop();
    };
    followed.set(id, { question, callOff });
  };

  return {
    of: signalOf,
    follow(questions) {
      const ids = new Set(questions.map(({ id }) => id));
      for (const [id, { callOff }] of followed) {
        if (ids.has(id)) continue;
        callOff();
        followed.delete(id);
        signalOf(id).value = null;
        shown.delete(id);
      }
      for (const question of questions) {
        const before = followed.get(question.id)?.question;
        if (before === undefined || !isSame(before, question)) begin(question);
      }
    },
    again(id) {
      const known = followed.get(id);
      if (known) begin(known.question);
    },
  };
}

function isSame(one: EditedQuestion, other: EditedQuestion): boolean {
  return one.arguments === other.arguments && one.isValid === other.isValid && one.digest === other.digest;
}

/** Requests a preview; null if the question is answered by now. */
async function madeOf(
  session: Pick<AgentSession, 'previewOf'>,
  question: EditedQuestion,
): Promise<EditedPreview | null> {
  const outcome = await session
    .previewOf(question.id, question.arguments)
    .catch((error: unknown) => ({ errors: [error instanceof Error ? error.message : String(error)] }));
  if (outcome === 'already-settled') return null;
  if ('errors' in outcome) {
    const preview = { kind: 'failed', reason: outcome.errors.join(' ') } as const;
    return { preview, state: 'current', digest: undefined };
  }
  return { ...outcome, state: 'current' };
}
