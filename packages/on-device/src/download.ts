import { coreOptions } from './core-options.js';
import type { LanguageModelApi } from './language-model.js';
import type { DownloadOptions, OnDeviceOptions } from './on-device-options.js';
import { deviceError } from './device-error.js';

/** Downloads the model by making a session, which is what browsers start a download for, and gives that session back. */
export async function download(
  api: LanguageModelApi,
  options: OnDeviceOptions,
  { onProgress, signal }: DownloadOptions,
): Promise<void> {
  try {
    signal?.throwIfAborted();
    // Nothing is awaited before: the browser looks whether a click is going on.
    const session = await api.create({
      ...coreOptions(options),
      ...(signal === undefined ? {} : { signal }),
      monitor: (monitor) => {
        monitor.addEventListener('downloadprogress', (event) => {
          const { loaded } = event as ProgressEvent;
          onProgress?.(Math.min(1, Math.max(0, loaded)));
        });
      },
    });
    session.destroy();
  } catch (thrown) {
    throw deviceError(thrown, 'creating', signal);
  }
}
