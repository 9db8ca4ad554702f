import type { JsonObject, Provider } from '@banister/session/provider';
import type { Availability, LanguageModelApi } from './language-model.js';

/** Options of {@link onDevice}; none is required. */
export interface OnDeviceOptions {
  /**
   * Languages of the user and of the answers, as BCP 47 tags: `['en', 'es']`. A model that lacks one of them is `unavailable`.
   * Default: the browser detects the language, which may end in `unsupported`.
   */
  readonly languages?: readonly string[] | undefined;
  /** Whether images are sent. A model that cannot read them is then `unavailable`. Default false. */
  readonly images?: boolean | undefined;
  /**
   * The highest number of tools that the model is given; a session with more needs `stagedDiscovery`. Small models choose badly from long
   * lists. Default: none, since browsers state no cap.
   */
  readonly maxTools?: number | undefined;
  /**
   * More options for `LanguageModel.create()` and `availability()`, for example `{ samplingMode: 'predictable' }`. The options
   * of the session (prompts, tools, expected content) cannot be overridden.
   */
  readonly createOptions?: JsonObject | undefined;
  /** Used in place of the global `LanguageModel`: a polyfill, or a double in tests. Default: the browser's own. */
  readonly languageModel?: LanguageModelApi | undefined;
}

/** Options of {@link OnDeviceProvider.download}. */
export interface DownloadOptions {
  /**
   * Called with the downloaded share, from 0 to 1, at least once with each of them. Browsers do not state bytes.
   *
   * @param share of the whole download
   */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Stops waiting. The browser may continue the download. */
  readonly signal?: AbortSignal | undefined;
}

/** A provider over the browser's own model. */
export interface OnDeviceProvider extends Provider {
  /**
   * Whether the model can be used with these options; `unavailable` also in a browser without the API. It never starts a
   * download.
   *
   * @example
   * if ((await provider.availability()) === 'downloadable') showDownloadButton();
   */
  availability(): Promise<Availability>;
  /**
   * Downloads the model, and resolves when it can be used; at once when it is on the device already. Browsers require a user's
   * click for it: call it in the handler of one, before any `await`.
   *
   * Rejects with `unsupported` (no model for this browser or these options), `auth` (no click, or not allowed here),
   * `network` (the download failed) or `cancelled`.
   *
   * @example
   * button.onclick = () => provider.download({ onProgress: (share) => (bar.value = share) });
   */
  download(options?: DownloadOptions): Promise<void>;
}
