import type { Signals } from '@banister/session';
import { computed } from '@banister/session/signals';
import { keepRaw } from '@banister/session/follow';

type Timed = Pick<
  Signals,
  'pendingConfirmation' | 'pendingConfirmations' | 'pendingExtension' | 'pendingRetry'
>;

/**
 * Returns the signals of the open questions and of the next attempt, with deadlines in local time. The state keeps the host's times.
 *
 * @param skew returns the local time minus the host's time, in milliseconds
 */
export function localDeadlines(
  { pendingConfirmations, pendingExtension, pendingRetry }: Omit<Timed, 'pendingConfirmation'>,
  skew: () => number,
): Timed {
  const local = localizer(skew);
  const all = computed(() => pendingConfirmations.value.map((question) => local(question)));
  return {
    pendingConfirmations: keepRaw(all),
    pendingConfirmation: keepRaw(computed(() => all.value[0] ?? null)),
    pendingRetry: keepRaw(
      computed(() => {
        const retry = pendingRetry.value;
        return retry && { ...retry, at: retry.at + skew() };
      }),
    ),
    pendingExtension: keepRaw(computed(() => pendingExtension.value && local(pendingExtension.value))),
  };
}

/** Returns a function that makes a single object for each question, because views compare questions by identity. */
function localizer(skew: () => number) {
  const known = new WeakMap<object, object>();
  return <Question extends { readonly expiresAt: number | null }>(question: Question): Question => {
    const { expiresAt } = question;
    if (expiresAt === null) return question;
    const shown = (known.get(question) as Question | undefined) ?? {
      ...question,
      expiresAt: expiresAt + skew(),
    };
    known.set(question, shown);
    return shown;
  };
}
