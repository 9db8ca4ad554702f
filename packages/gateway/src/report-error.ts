import { callHook } from './call-hook.js';
import type { GatewayError } from './gateway-options.js';
import type { GatewayParts } from './gateway-parts.js';

/** Passes an error to the hook of the app. An error of the hook itself is dropped. */
export function reportError({ options }: Pick<GatewayParts, 'options'>, error: GatewayError): void {
  void callHook(
    () => options.onError?.(error),
    () => {},
  );
}
