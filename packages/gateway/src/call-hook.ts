/**
 * Calls a hook of the app, which only watches: an error that it throws, or with which its promise rejects, goes to `onError`. A rejection without a
 * handler would end the process.
 */
export function callHook(hook: () => unknown, onError: (error: unknown) => void): void {
  void (async () => hook())().catch(onError);
}
