import { isJsonObject } from '@banister/provider';

/** Whether a value is equal to its copy through JSON text: no undefined, no holes, no classes. */
export function isPlainJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return Array.from(value).every(isPlainJson);
  return isJsonObject(value) && Object.values(value).every(isPlainJson);
}
