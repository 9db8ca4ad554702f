import type { JsonObject, Provider } from '@handrail/session/provider';
import type { Availability, LanguageModelApi } from './language-model.js';

/** What {@link onDevice} takes; nothing is needed. */
export interface OnDeviceOptions {
  /**
   * Languages that people and the model will write, as BCP 47 tags: `['en', 'es']`. A model that lacks one is
   * `unavailable`. Default: whatever the browser makes of the text, which may end in `unsupported`.
   */
  readonly languages?: readonly string[] | undefined;
  /** Whether images are sent. A model that cannot read them is then `unavailable`. Default false. */
  readonly images?: boolean | undefined;
  /**
   * More options for `LanguageModel.create()` and `availability()`, for example `{ samplingMode: 'predictable' }`. What the
   * session decides (prompts, tools, expected content) cannot be overridden.
   */
  readonly createOptions?: JsonObject | undefined;
  /** Used in place of the global `LanguageModel`: a polyfill, or a double in tests. */
  readonly languageModel?: LanguageModelApi | undefined;
}

export interface DownloadOptions {
  /**
   * Called with what is there already, from 0 to 1: at least once with each of them.
   *
   * @param share of everything that has to be downloaded; bytes are not told by browsers
   */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Stops waiting. The browser may go on with the download by itself. */
  readonly signal?: AbortSignal | undefined;
}

/** A provider over the browser's own model. */
export interface OnDeviceProvider extends Provider {
  /**
   * Whether the model can be used with these options. `unavailable` also where the browser has no such API; it never
   * starts a download.
   *
   * @example
   * if ((await provider.availability()) === 'downloadable') showDownloadButton();
   */
  availability(): Promise<Availability>;
  /**
   * Downloads the model, and resolves when it can be used; at once where it is there already. Browsers want a user's click
   * for it: call it in the handler of one, before anything else is awaited.
   *
   * Rejects with `unsupported` (no model for this browser or these options), `auth` (no click, or not allowed here),
   * `network` (the download failed) or `cancelled`.
   *
   * @example
   * button.onclick = () => provider.download({ onProgress: (share) => (bar.value = share) });
   */
  download(options?: DownloadOptions): Promise<void>;
}
