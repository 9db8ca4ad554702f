import { AgentSessionError } from '@handrail/session/provider';
import type { AnthropicOptions } from './anthropic-options.js';
import { isBrowser } from './browser.js';
import { isCredential } from './redact.js';

/** Refuses options that cannot work, or that would give a key away. */
export function checkOptions(options: AnthropicOptions): void {
  const { model, baseURL, maxOutputTokens, thinking, serverTools = [] } = options;
  if (typeof model !== 'string' || model.trim() === '') {
    throw invalid('anthropic() needs the name of a model.');
  }
  if (baseURL !== undefined && !isURL(baseURL)) throw invalid(`"${baseURL}" is not a base URL.`);
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens > 0)) {
    throw invalid('maxOutputTokens must be a whole number above zero.');
  }
  if (thinking?.type === 'enabled' && thinking.budget_tokens >= (maxOutputTokens ?? Infinity)) {
    throw invalid('The thinking budget must be smaller than maxOutputTokens, which includes it.');
  }
  if (serverTools.some((tool) => typeof tool['name'] !== 'string' || typeof tool['type'] !== 'string')) {
    throw invalid('Each of serverTools needs a type and a name.');
  }
  if (isBrowser()) checkKey(options);
}

function checkKey(options: AnthropicOptions): void {
  const holdsKey = options.apiKey !== undefined || Object.keys(options.headers ?? {}).some(isCredential);
  if (holdsKey && options.dangerouslyAllowBrowser !== true) {
    throw invalid(
      'Every visitor of a page can read an API key in it: keys belong on a server. Use the baseURL of your own proxy, ' +
        "or, if the key is the visitor's own, set dangerouslyAllowBrowser: true.",
    );
  }
  if (!holdsKey && options.baseURL === undefined && options.client === undefined) {
    throw invalid(
      'In a browser, anthropic() needs the baseURL of a server that holds the key or needs none.',
    );
  }
}

function isURL(text: string): boolean {
  return URL.canParse(text, isBrowser() ? document.baseURI : undefined);
}

function invalid(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}
