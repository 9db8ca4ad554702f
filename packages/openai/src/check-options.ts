import { AgentSessionError } from '@handrail/session/provider';
import { isBrowser } from './browser.js';
import type { OpenAIOptions } from './openai-options.js';
import { isCredential } from './redact.js';

/** Refuses options that cannot work, or that would give a key away. */
export function checkOptions(options: OpenAIOptions): void {
  if (typeof options.model !== 'string' || options.model.trim() === '') {
    throw invalid('openai() needs the name of a model.');
  }
  if (options.baseURL !== undefined && !isURL(options.baseURL)) {
    throw invalid(`"${options.baseURL}" is not a base URL.`);
  }
  if (options.api !== undefined && options.api !== 'chat' && options.api !== 'responses') {
    throw invalid(`The option api is "chat" or "responses"; got ${JSON.stringify(options.api)}.`);
  }
  if (!isBrowser()) return;
  const holdsKey = options.apiKey !== undefined || Object.keys(options.headers ?? {}).some(isCredential);
  if (holdsKey && options.dangerouslyAllowBrowser !== true) {
    throw invalid(
      'Every visitor of a page can read an API key in it: keys belong on a server. Use the baseURL of your own proxy, ' +
        "or, if the key is the visitor's own, set dangerouslyAllowBrowser: true.",
    );
  }
  if (!holdsKey && options.baseURL === undefined && options.client === undefined) {
    throw invalid('In a browser, openai() needs the baseURL of a server that holds the key or needs none.');
  }
}

function isURL(text: string): boolean {
  return URL.canParse(text, isBrowser() ? document.baseURI : undefined);
}

function invalid(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}
