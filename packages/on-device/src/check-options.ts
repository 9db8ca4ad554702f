import { AgentSessionError } from '@banister/provider';
import type { OnDeviceOptions } from './on-device-options.js';

/** Throws `invalid-configuration` for options that no browser accepts. */
export function checkOptions({ languages, maxTools = Infinity }: OnDeviceOptions): void {
  if (typeof maxTools !== 'number' || !(maxTools >= 1)) {
    throw new AgentSessionError('invalid-configuration', 'The option maxTools must be 1 or more.');
  }
  for (const tag of languages ?? []) {
    try {
      Intl.getCanonicalLocales(tag);
    } catch (cause) {
      const message = `${JSON.stringify(tag)} is no language tag; use one such as "en" or "pt-BR".`;
      throw new AgentSessionError('invalid-configuration', message, { cause });
    }
  }
}
