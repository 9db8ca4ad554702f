import { checkServerOptions, invalidOption } from '@handrail/wire';
import type { AnthropicOptions } from './anthropic-options.js';

/** Refuses options that cannot work, or that would give a key away. */
export function checkOptions(options: AnthropicOptions): void {
  const { maxOutputTokens, thinking, serverTools = [] } = options;
  checkServerOptions(options, 'anthropic', options.client !== undefined);
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw invalidOption('maxOutputTokens must be a whole number above zero.');
  }
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= (maxOutputTokens ?? Infinity)) {
    throw invalidOption('The thinking budget must be smaller than maxOutputTokens, which includes it.');
  }
  if (serverTools.some((tool) => typeof tool['name'] !== 'string' || typeof tool['type'] !== 'string')) {
    throw invalidOption('Each of serverTools needs a type and a name.');
  }
}
