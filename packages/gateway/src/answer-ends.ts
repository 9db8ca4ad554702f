import type { GatewayHandler } from './gateway-parts.js';

const ends = new WeakMap<(request: Request) => unknown, ReadonlySet<Promise<void>>>();

/** Notes the answers of a gateway that are over, but not booked yet. */
export function noteEnds(handle: GatewayHandler, pending: ReadonlySet<Promise<void>>): void {
  ends.set(handle, pending);
}

/** Resolves when the answers of a gateway that are over are booked and reported. Never rejects. */
export async function endsOf(handle: GatewayHandler): Promise<void> {
  for (let pending = ends.get(handle); pending !== undefined && pending.size > 0;) await Promise.all(pending);
}
