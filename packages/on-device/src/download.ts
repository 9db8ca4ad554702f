import { coreOptions } from './core-options.js';
import type { LanguageModelApi } from './language-model.js';
import type { DownloadOptions, OnDeviceOptions } from './on-device-options.js';
import { deviceError } from './device-error.js';

/** Downloads the model: browsers start the download when a session is created. That session is destroyed at once. */
export async function download(
  api: LanguageModelApi,
  options: OnDeviceOptions,
  { onProgress, signal }: DownloadOptions,
): Promise<void> {
  try {
    signal?.throwIfAborted();
    // `create()` is called before any `await`, because the browser requires a current click.
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
