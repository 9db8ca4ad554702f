import type { ErrorData, TurnRecord } from '@banister/session';

/** Whether the user took the turn back, after a reload had cut it. */
export function isTakenBack({ outcome }: TurnRecord): boolean {
  return outcome?.error?.code === 'interrupted' && outcome.error.details['abandoned'] === true;
}

/** The error of a turn that the user has to know; null for one that the user stopped or took back. */
export function errorToShow(record: TurnRecord): ErrorData | null {
  return isTakenBack(record) ? null : (record.outcome?.error ?? null);
}
