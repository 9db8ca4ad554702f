/** Settles as the promise does. Rejects with the reason of the first signal that fires before that, or that has already fired. */
export async function untilAborted<T>(promise: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signals.find((signal) => signal.aborted)?.reason as Error);
    for (const signal of signals) signal.addEventListener('abort', abort);
  });
  if (signals.some((signal) => signal.aborted)) abort();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
}
