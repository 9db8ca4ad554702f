import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import type { Link } from './session-log.js';

/** Changes the link of a session. An error of an effect of the app is reported. */
export function setLink(
  link: Signal<Link>,
  change: Partial<Link>,
  { reportError }: Pick<Ports, 'reportError'>,
): void {
  try {
    link.value = { ...link.peek(), ...change };
  } catch (error) {
    reportError(error);
  }
}
