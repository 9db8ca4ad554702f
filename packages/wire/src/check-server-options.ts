import { AgentSessionError } from '@banister/provider';
import { resolveAnswerLimits } from './answer-limits.js';
import { isBrowser } from './browser.js';
import type { ServerOptions } from './server-options.js';

/**
 * Throws `invalid-configuration` for options that cannot work, or that would show a key to every visitor of a page.
 *
 * @param adapter the name of the adapter's function, for error messages
 * @param makesClient whether the options make the client, which then has its own address
 */
export function checkServerOptions(options: ServerOptions, adapter: string, makesClient = false): void {
  const { model, baseURL, maxTools = Infinity, limits } = options;
  if (typeof model !== 'string' || model.trim() === '') {
    throw invalidOption(`${adapter}() needs the name of a model.`);
  }
  if (baseURL !== undefined && !isURL(baseURL)) throw invalidOption(`"${baseURL}" is not a base URL.`);
  if (typeof maxTools !== 'number' || !(maxTools >= 1)) {
    throw invalidOption('The option maxTools must be 1 or more.');
  }
  resolveAnswerLimits(limits);
  if (isBrowser()) checkKey(options, adapter, makesClient);
}

/** The error for an option that cannot work. */
export function invalidOption(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}

function checkKey(options: ServerOptions, adapter: string, makesClient: boolean): void {
  const holdsKey = options.apiKey !== undefined || Object.keys(options.headers ?? {}).some(isCredential);
  if (holdsKey && options.dangerouslyAllowBrowser !== true) {
    throw invalidOption(
      'Every visitor of a page can read an API key in it: keys belong on a server. Use the baseURL of your own proxy, ' +
        "or, if the key is the visitor's own, set dangerouslyAllowBrowser: true.",
    );
  }
  if (!holdsKey && options.baseURL === undefined && !makesClient) {
    throw invalidOption(
      `In a browser, ${adapter}() needs the baseURL of a server that holds the key or needs none.`,
    );
  }
}

/** Returns true if the header's value is a key. */
function isCredential(header: string): boolean {
  return /^((proxy-)?authorization|cookie|(x-)?(goog-)?api-key|ocp-apim-subscription-key)$/i.test(header);
}

function isURL(text: string): boolean {
  return URL.canParse(text, isBrowser() ? document.baseURI : undefined);
}
