export { openai, preloadOpenAI } from './openai.js';
export type { GivenClientOptions, OpenAIOptions } from './openai-options.js';
