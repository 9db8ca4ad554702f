import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';

export interface ProgressShare {
  readonly done: number;
  readonly total: number;
}

/** Returns the progress that a tool reports as `done` and `total`; null for any other report. */
export function progressShare(progress: JsonValue | undefined): ProgressShare | null {
  const { done, total } = isJsonObject(progress) ? progress : {};
  return typeof done === 'number' && typeof total === 'number' && total > 0 ? { done, total } : null;
}
