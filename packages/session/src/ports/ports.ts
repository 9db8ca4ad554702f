import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { frames, type PublishScheduler } from './publish-scheduler.js';
import type { SchemaValidator } from './schema-validator.js';

/** Makes ids. They must be unguessable, since a confirmation is answered by its id. */
export interface Ids {
  /** @param kind what the id is for: `turn`, `message`, `call`, `confirmation` */
  next(kind: string): string;
}

/** The session's doors to the outside world. Each has a default; tests and special hosts replace them. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** Paces publications while text streams. Default: {@link frames}. */
  readonly scheduler: PublishScheduler;
  /**
   * How tool arguments are validated. `auto` (default) interprets schemas in browsers, where a page's
   * Content-Security-Policy may forbid code generation, and compiles them elsewhere; or your own validator.
   */
  readonly validator: 'auto' | 'compiled' | 'interpreted' | SchemaValidator;
  /**
   * Gets what a subscriber of `operations$` or `turn$`, an operator behind them, or an effect threw. Default: the global
   * `reportError`, else `console.error`. If it throws itself, both errors go to the default.
   */
  reportError(error: unknown): void;
}

/** Some of the ports; one that is undefined counts as not given. */
export type GivenPorts = { readonly [Name in keyof Ports]?: Ports[Name] | undefined };

const randomIds: Ids = {
  next: (kind) => `${kind}_${randomUUID().replaceAll('-', '')}`,
};

/** `crypto.randomUUID` exists only in secure contexts; a page on plain http in a local network has no such luck. */
function randomUUID(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function reportError(error: unknown): void {
  const report = (globalThis as { reportError?: (error: unknown) => void }).reportError;
  if (report) report.call(globalThis, error);
  else console.error(error);
}

/** The app's error port. An error that it throws must not stop the session in the middle of a step. */
function safely(given: Ports['reportError']): Ports['reportError'] {
  return (error) => {
    try {
      given(error);
    } catch (thrown) {
      reportError(thrown);
      reportError(error);
    }
  };
}

/** The given ports over the defaults. */
export function resolvePorts(given: GivenPorts = {}): Ports {
  return {
    clock: given.clock ?? systemClock,
    ids: given.ids ?? randomIds,
    random: given.random ?? Math.random,
    scheduler: given.scheduler ?? frames(),
    validator: given.validator ?? 'auto',
    reportError: given.reportError ? safely((error) => given.reportError!(error)) : reportError,
  };
}
