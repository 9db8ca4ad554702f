import type { JsonObject, Provider } from '@banister/provider';
import type { Availability, LanguageModelApi } from './language-model.js';

/** Options of {@link onDevice}; all are optional. */
export interface OnDeviceOptions {
  /**
   * Languages of the user and of the answers, as BCP 47 tags: `['en', 'es']`. If the model lacks one of them, it is `unavailable`.
   * Default: the browser detects the language, which may end in `unsupported`.
   */
  readonly languages?: readonly string[] | undefined;
  /** Whether images are sent. If so, a model that cannot read images is `unavailable`. Default false. */
  readonly images?: boolean | undefined;
  /**
   * The highest number of tools that the model gets; a session with more tools needs `stagedDiscovery`. Small models choose badly from long
   * lists. Default: unlimited, because browsers state no cap.
   */
  readonly maxTools?: number | undefined;
  /**
   * More options for `LanguageModel.create()` and `availability()`, for example `{ samplingMode: 'predictable' }`. The options
   * of the session (prompts, tools, expected content) cannot be overridden.
   */
  readonly createOptions?: JsonObject | undefined;
  /** Replaces the global `LanguageModel`: a polyfill, or a double in tests. Default: the browser's own. */
  readonly languageModel?: LanguageModelApi | undefined;
}

/** Options of {@link OnDeviceProvider.download}. */
export interface DownloadOptions {
  /**
   * Called with the downloaded share, from 0 to 1; at least with 0 and with 1. Browsers do not state bytes.
   *
   * @param share the downloaded share of the whole
   */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Stops waiting. The browser may continue the download. */
  readonly signal?: AbortSignal | undefined;
}

/** A provider over the browser's own model. */
export interface OnDeviceProvider extends Provider {
  /**
   * Whether the model can be used with these options; `unavailable` if the browser has no API. It never starts a download.
   *
   * @example
   * if ((await provider.availability()) === 'downloadable') showDownloadButton();
   */
  availability(): Promise<Availability>;
  /**
   * Downloads the model, and resolves when it can be used; at once if it is already on the device. Browsers require a user's click: call it
   * in a click handler, before any `await`.
   *
   * Rejects with `unsupported` (no model for this browser or these options), `auth` (no click, or not allowed here),
   * `network` (the download failed) or `cancelled`.
   *
   * @example
   * button.onclick = () => provider.download({ onProgress: (share) => (bar.value = share) });
   */
  download(options?: DownloadOptions): Promise<void>;
}
