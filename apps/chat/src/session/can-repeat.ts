import type { TurnRecord } from '@banister/session';

/** Whether a turn can be edited, or asked for again: a table has one answer. */
export function canRepeat({ structured }: TurnRecord): boolean {
  return structured === undefined;
}
