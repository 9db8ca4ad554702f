export { anthropic, preloadAnthropic } from './anthropic.js';
export type { AnthropicClient, AnthropicOptions, GivenClientOptions } from './anthropic-options.js';
