import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import type { Journal } from './journal.js';
import { frames, type PublishScheduler } from './publish-scheduler.js';
import type { SchemaValidator } from './schema-validator.js';

/** Makes ids. An id must be unguessable, since code that has the id of a confirmation can answer it. */
export interface Ids {
  /**
   * Returns a new id.
   *
   * @param kind the kind of object that gets the id: for example `turn`, `message`, `call`, `confirmation` or `queued`
   */
  next(kind: string): string;
}

/** The parts of the platform that a session uses: time, ids, chance, frames. Each has a default, which tests replace. */
export interface Ports {
  /** Default: the clock of the platform. */
  readonly clock: Clock;
  /** Default: 32 random hexadecimal digits with the kind before them, `turn_3f2a…`. */
  readonly ids: Ids;
  /** Returns a number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random: () => number;
  /** Paces publications while text streams. Default: {@link frames}. */
  readonly scheduler: PublishScheduler;
  /**
   * The validator of tool arguments: a built-in one or your own. `auto` (default) interprets schemas in browsers, where a page's
   * Content-Security-Policy may forbid code generation, and compiles them elsewhere.
   */
  readonly validator: 'auto' | 'compiled' | 'interpreted' | SchemaValidator;
  /**
   * Is called with each error that app code threw outside of a turn: a subscriber of `operations$` or `turn$`, an operator behind
   * them, or an effect. Default: the global `reportError`, else `console.error`. When it throws, the default gets both errors.
   */
  reportError(error: unknown): void;
  /** Writes the operations of the session to a place that outlives the page. Default: none, and nothing waits for a write. */
  readonly journal?: Journal | undefined;
}

/** Some of the ports; one that is undefined counts as not given. */
export type GivenPorts = { readonly [Name in keyof Ports]?: Ports[Name] | undefined };

/** The hexadecimal digits of each byte. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** Random bytes for the next ids: one call for many of them takes a fraction of the time of a call for each. */
const pool = new Uint8Array(1024);
let used = pool.length;

const randomIds: Ids = {
  next: (kind) => {
    if (used === pool.length) {
      // Not crypto.randomUUID, which a page has only over https.
      crypto.getRandomValues(pool);
      used = 0;
    }
    let id = `${kind}_`;
    for (const end = used + 16; used < end; used++) id += digits[pool[used]!]!;
    return id;
  },
};

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
    journal: given.journal,
  };
}
