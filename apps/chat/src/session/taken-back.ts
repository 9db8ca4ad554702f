import type { ErrorData, TurnRecord } from '@banister/session';

/** Returns whether the user undid the turn after a reload had interrupted it. */
export function isTakenBack({ outcome }: TurnRecord): boolean {
  return outcome?.error?.code === 'interrupted' && outcome.error.details['abandoned'] === true;
}

/** Returns the error of a turn that the user should see; null if the user stopped or undid the turn. */
export function errorToShow(record: TurnRecord): ErrorData | null {
  return isTakenBack(record) ? null : (record.outcome?.error ?? null);
}
