import type { Clock } from '@banister/provider';
import { systemClock } from '@banister/provider/internal/port/clock';
import type { SchemaValidator } from '@banister/schema';
import type { Journal } from './journal.js';
import { frames, type PublishScheduler } from './publish-scheduler.js';

/** Creates ids. An id must be unguessable, because code that has the id of a confirmation can answer the confirmation. */
export interface Ids {
  /**
   * Returns a new id.
   *
   * @param kind the kind of object that gets the id: for example `turn`, `message`, `call`, `confirmation` or `queued`
   */
  next(kind: string): string;
}

/** The functions of the platform that a session uses: time, ids, randomness, frames. Each has a default, which tests replace. */
export interface Ports {
  /** Default: the clock of the platform. */
  readonly clock: Clock;
  /** Default: the kind and 32 random hexadecimal digits, such as `turn_3f2a…`. */
  readonly ids: Ids;
  /** Returns a number in [0, 1), for the jitter of retries. Default: `Math.random`. */
  readonly random: () => number;
  /** Decides when changes are published while text streams. Default: {@link frames}. */
  readonly scheduler: PublishScheduler;
  /**
   * The validator of tool arguments: a built-in validator or your own. `auto` (default) interprets schemas in browsers, because a page's
   * Content-Security-Policy may forbid code generation, and compiles them elsewhere.
   */
  readonly validator: 'auto' | 'compiled' | 'interpreted' | SchemaValidator;
  /**
   * Called with each error that app code threw outside of a turn: by a subscriber of `operations$` or `turn$`, by an operator on them, or
   * by an effect. Default: the global `reportError`, or else `console.error`. If it throws, the default receives both errors.
   */
  reportError(error: unknown): void;
  /** Writes the operations of the session to a place that outlives the page. Default: none; then no step waits for a write. */
  readonly journal?: Journal | undefined;
}

/** Some of the ports. A port that is undefined counts as not given. */
export type GivenPorts = { readonly [Name in keyof Ports]?: Ports[Name] | undefined };

/** The hexadecimal digits of each byte. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
/** Random bytes for the next ids. One call for many ids takes a fraction of the time of a call per id. */
const pool = new Uint8Array(1024);
let used = pool.length;

const randomIds: Ids = {
  next: (kind) => {
    if (used === pool.length) {
      // Not `crypto.randomUUID`, because a page has it only over https.
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

/** Wraps the app's error port. If the port throws, the session must not stop in the middle of a step. */
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

/** Returns the given ports, and the defaults for the others. */
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
