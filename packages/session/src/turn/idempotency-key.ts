/** Returns the key of a call for servers: the same when it runs again after a reload. */
export function idempotencyKeyOf(turnId: string, callId: string): string {
  return `${turnId}-${callId}`;
}
