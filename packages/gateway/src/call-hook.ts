/**
 * Calls a function of the app. If it throws or rejects, the error goes to `onError`, because an unhandled rejection would end the process.
 * Never rejects.
 */
export async function callHook(hook: () => unknown, onError: (error: unknown) => void): Promise<void> {
  try {
    await hook();
  } catch (error) {
    onError(error);
  }
}
