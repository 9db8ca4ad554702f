/**
 * Calls a function of the app. An error that it throws, or with which its promise rejects, goes to `onError`: a rejection without a handler would end
 * the process. Never rejects.
 */
export async function callHook(hook: () => unknown, onError: (error: unknown) => void): Promise<void> {
  try {
    await hook();
  } catch (error) {
    onError(error);
  }
}
