/** Returns the key of a call for servers. The key stays the same if the call runs again after a reload. */
export function idempotencyKeyOf(turnId: string, callId: string): string {
  return `${turnId}-${callId}`;
}
