export { onDevice } from './on-device.js';
export type { DownloadOptions, OnDeviceOptions, OnDeviceProvider } from './on-device-options.js';
export type { Availability, LanguageModelApi } from './language-model.js';
