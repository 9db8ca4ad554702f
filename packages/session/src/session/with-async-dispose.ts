/** Adds `Symbol.asyncDispose`, for `await using session`, where the platform has it. */
export function withAsyncDispose<T extends { dispose(): Promise<void> }>(session: T): T & AsyncDisposable {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as T & AsyncDisposable;
}
