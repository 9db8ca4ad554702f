import type { GatewayError } from './gateway-options.js';
import type { GatewayParts } from './gateway-parts.js';

/** Passes an error to the hook of the app, which only watches. */
export function reportError({ options }: Pick<GatewayParts, 'options'>, error: GatewayError): void {
  try {
    options.onError?.(error);
  } catch {
    // An error of the hook concerns no client.
  }
}
