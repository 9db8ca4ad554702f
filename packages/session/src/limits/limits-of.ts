import type { JsonObject } from '../json/json.js';
import { defaultLimits, type Limits } from './limits.js';

/** Returns the limits of their JSON form. */
export function limitsOf(data: JsonObject): Limits {
  const limits: Record<string, unknown> = {};
  for (const name of Object.keys(defaultLimits)) limits[name] = data[name] ?? Infinity;
  return { ...limits, onTrip: data.onTrip === 'stop' ? 'stop' : 'fail' } as Limits;
}
