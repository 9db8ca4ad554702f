import { effect } from '@banister/session';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import type { DescribeCall } from '../board/describe-call.js';
import type { Cues } from './cues.js';
import { announcementOf, answerWords } from './question-words.js';
import type { AnsweredQuestion, Question, Questions } from './questions.js';

/**
 * Reads out questions when they open or change, and answers while other questions wait. The focus does not
 * move.
 */
export function announceQuestions(
  { open, rows }: Pick<Questions, 'open' | 'rows'>,
  describe: DescribeCall,
  cues: Pick<Cues, 'say'>,
): () => void {
  const seen = computed(() => open.value.map(versionOf).join());
  const answered = computed(() => rows.value.flatMap((row) => ('answered' in row ? row.answered : [])));
  const answeredIds = computed(() => answered.value.map(({ id }) => id).join());
  const newQuestions = unknownOf<Question>(versionOf);
  const newAnswers = unknownOf<AnsweredQuestion>(({ id }) => id);
  const stopOpened = announceEach(seen, () => announcementOf(newQuestions(open.peek()), describe));
  const stopAnswered = announceEach(answeredIds, () => {
    const last = newAnswers(answered.peek()).at(-1);
    if (last === undefined) return '';
    const left = open.peek().length;
    return `${answerWords(last)}. ${left === 1 ? '1 question' : `${left} questions`} left.`;
  });

  return () => {
    stopOpened();
    stopAnswered();
  };

  function announceEach(of: ReadonlySignal<unknown>, words: () => string): () => void {
    let isStopped = false;
    const stop = effect(() => {
      void of.value;
      // An effect that runs inside another effect's publication must not publish into it. In the microtask,
      // the answer to a question is known too.
      queueMicrotask(() => {
        if (isStopped) return;
        const said = words();
        if (said !== '') cues.say(said);
      });
    });
    return () => {
      isStopped = true;
      stop();
    };
  }
}

/**
 * Returns a function that finds new members of a list. Rows are in the order of the calls, so new members may
 * be anywhere.
 */
function unknownOf<T>(keyOf: (one: T) => string): (all: readonly T[]) => readonly T[] {
  let known: ReadonlySet<string> = new Set();
  return (all) => {
    const before = known;
    known = new Set(all.map(keyOf));
    return all.filter((one) => !before.has(keyOf(one)));
  };
}

/** A renewed question keeps its id, but has a different digest. */
function versionOf({ id, confirmation: { digest = '' } }: Question): string {
  return `${id} ${digest}`;
}
