import type { GatewayHandler, GatewayParts } from './gateway-parts.js';

/** What the entries for servers read of a gateway. */
export type GatewayState = Pick<GatewayParts, 'isOpen' | 'ends'>;

const states = new WeakMap<(request: Request) => unknown, GatewayState>();

/** Notes the state of a gateway. */
export function noteState(handle: GatewayHandler, state: GatewayState): void {
  states.set(handle, state);
}

/** Whether a function is a gateway that serves without users, so that only this machine may reach its server. */
export function isOpenGateway(handle: (request: Request) => unknown): boolean {
  return states.get(handle)?.isOpen === true;
}

/** Resolves when all finished answers of a gateway are booked and reported. Never rejects. */
export async function endsOf(handle: GatewayHandler): Promise<void> {
  for (let ends = states.get(handle)?.ends; ends !== undefined && ends.size > 0;) await Promise.all(ends);
}
