import { computed, type Confirmation, type Signals } from '@handrail/session';
import { keepRaw } from '@handrail/session/follow';

type Questions = Pick<Signals, 'pendingConfirmation' | 'pendingConfirmations'>;

/**
 * Returns the signals of the open questions with deadlines in local time. The state keeps those of the host.
 *
 * @param skew returns the local time minus that of the host, in milliseconds
 */
export function localDeadlines({ pendingConfirmations }: Questions, skew: () => number): Questions {
  // One object for each question, as views compare them by identity.
  const known = new WeakMap<Confirmation, Confirmation>();
  const local = (question: Confirmation): Confirmation => {
    const { expiresAt } = question;
    if (expiresAt === null) return question;
    const shown = known.get(question) ?? { ...question, expiresAt: expiresAt + skew() };
    known.set(question, shown);
    return shown;
  };
  const all = computed(() => pendingConfirmations.value.map(local));
  return {
    pendingConfirmations: keepRaw(all),
    pendingConfirmation: keepRaw(computed(() => all.value[0] ?? null)),
  };
}
