import type { GatewayHandler } from './gateway-parts.js';

const open = new WeakSet<(request: Request) => unknown>();

/** Notes a gateway that serves without a user. */
export function markOpen(handle: GatewayHandler): void {
  open.add(handle);
}

/** Whether a function is a gateway that serves without a user, so that its server must be reached from this machine alone. */
export function isOpenGateway(handle: (request: Request) => unknown): boolean {
  return open.has(handle);
}
