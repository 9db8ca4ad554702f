import { isJsonObject, type JsonValue } from '@handrail/session';

export interface ProgressShare {
  readonly done: number;
  readonly total: number;
}

/** How far a tool is, where it tells a share; otherwise null. */
export function progressShare(progress: JsonValue | undefined): ProgressShare | null {
  const { done, total } = isJsonObject(progress) ? progress : {};
  return typeof done === 'number' && typeof total === 'number' && total > 0 ? { done, total } : null;
}
