import type { JsonObject } from '@banister/provider';
import { defaultLimits, type Limits, type SessionLimits } from './limits.js';

/** Returns the limits from their JSON form. */
export function limitsOf(data: JsonObject): Limits {
  const limits: Record<string, unknown> = {};
  for (const name of Object.keys(defaultLimits)) limits[name] = data[name] ?? Infinity;
  return {
    ...limits,
    session: { ...defaultLimits.session, ...(data.session as Partial<SessionLimits> | undefined) },
    onTrip: data.onTrip === 'stop' || data.onTrip === 'ask' ? data.onTrip : 'fail',
  } as Limits;
}
