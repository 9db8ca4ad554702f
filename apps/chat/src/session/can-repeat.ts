import type { TurnRecord } from '@banister/session';

/**
 * Returns whether a turn can be edited or regenerated. A table cannot, because it has only one answer, and the
 * end of a task cannot, because the user did not write its message.
 */
export function canRepeat({ structured, from }: TurnRecord): boolean {
  return structured === undefined && from === undefined;
}
