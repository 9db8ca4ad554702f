// The entry `@banister/session/filters`: middleware that keeps text from the model or from the user.
export { contentFilter, type ContentFilterOptions, type SecretText } from '../middleware/content-filter.js';
export { outputGuard, type OutputGuardOptions } from '../middleware/output-guard.js';
