import type { GatewayHandler, GatewayParts } from './gateway-parts.js';

/** The parts of a gateway that the entries for servers read. */
export type GatewayState = Pick<GatewayParts, 'isOpen' | 'ends'>;

const states = new WeakMap<(request: Request) => unknown, GatewayState>();

/** Notes the state of a gateway. */
export function noteState(handle: GatewayHandler, state: GatewayState): void {
  states.set(handle, state);
}

/** Whether a function is a gateway that serves without a user, so that its server must be reached from this machine alone. */
export function isOpenGateway(handle: (request: Request) => unknown): boolean {
  return states.get(handle)?.isOpen === true;
}

/** Resolves when the answers of a gateway that are over are booked and reported. Never rejects. */
export async function endsOf(handle: GatewayHandler): Promise<void> {
  for (let ends = states.get(handle)?.ends; ends !== undefined && ends.size > 0;) await Promise.all(ends);
}
