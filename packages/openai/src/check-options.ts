import { checkServerOptions, invalidOption } from '@handrail/wire';
import type { OpenAIOptions } from './openai-options.js';

/** Refuses options that cannot work, or that would give a key away. */
export function checkOptions(options: OpenAIOptions): void {
  checkServerOptions(options, 'openai', options.client !== undefined);
  if (options.api !== undefined && options.api !== 'chat' && options.api !== 'responses') {
    throw invalidOption(`The option api is "chat" or "responses"; got ${JSON.stringify(options.api)}.`);
  }
}
