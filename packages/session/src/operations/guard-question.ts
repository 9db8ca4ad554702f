import { defined } from '@banister/provider/internal/json/defined';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';

/** The question of a guard about a call. */
export type GuardQuestion = Pick<ConfirmationRequest, 'guard' | 'reason' | 'because' | 'cost'>;

/** Returns only the guard's question of a request, without the other fields. */
export function guardQuestionOf({ guard, reason, because, cost }: GuardQuestion): GuardQuestion {
  return defined({ guard, reason, because, cost });
}
