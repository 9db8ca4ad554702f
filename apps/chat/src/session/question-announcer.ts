import { computed, effect, type ReadonlySignal } from '@handrail/session';
import type { DescribeCall } from './chat.js';
import type { Cues } from './cues.js';
import { announcementOf, answerWords } from './question-words.js';
import type { Questions } from './questions.js';

/** Reads out questions when they open, and what was answered while others wait. The focus stays where it is. */
export function announceQuestions(
  { open, rows }: Pick<Questions, 'open' | 'rows'>,
  describe: DescribeCall,
  cues: Pick<Cues, 'say'>,
): () => void {
  const ids = computed(() => rows.value.map(({ id }) => id).join());
  const answered = computed(() => rows.value.flatMap((row) => ('answered' in row ? row.answered : [])));
  let known: readonly string[] = [];
  const stopOpened = announceEach(ids, () => {
    const opened = open.peek().filter(({ id }) => !known.includes(id));
    known = open.peek().map(({ id }) => id);
    return announcementOf(opened, describe);
  });
  const count = computed(() => answered.value.length);
  const stopAnswered = announceEach(count, () => {
    const last = answered.peek().at(-1);
    if (last === undefined) return '';
    const left = open.peek().length;
    return `${answerWords(last)}. ${left === 1 ? '1 question' : `${left} questions`} left.`;
  });

  return () => {
    stopOpened();
    stopAnswered();
  };

  function announceEach(of: ReadonlySignal<unknown>, words: () => string): () => void {
    return effect(() => {
      void of.value;
      const said = words();
      // An effect that runs within another one's publication must not publish into it.
      if (said !== '') queueMicrotask(() => cues.say(said));
    });
  }
}
