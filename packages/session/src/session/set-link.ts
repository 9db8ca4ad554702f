import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import type { Link } from '../log/session-log.js';

/** Changes the link of a session. If an effect of the app throws, the error is reported. */
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
