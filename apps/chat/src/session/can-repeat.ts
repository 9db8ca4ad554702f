import type { TurnRecord } from '@banister/session';

/** Returns whether a turn can be edited or regenerated. A table cannot, because it has only one answer. */
export function canRepeat({ structured }: TurnRecord): boolean {
  return structured === undefined;
}
