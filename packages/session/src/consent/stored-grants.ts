import type { Clock } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { filled, having, oneOf, optional, positive, reader } from '@banister/provider/internal/json/shape';
import type { GrantStore } from '../guards/grant-store.js';
import type { Grant } from './consent-operations.js';
import type { Ports } from '../ports/ports.js';

/** How long a store of grants may take to answer, in milliseconds. After that the user is asked. */
const STORE_MS = 5_000;

/** Calls a function of a store, after the pending change of the store. Settles as the function does; rejects if it takes too long. */
function answered<T>(ask: () => T | PromiseLike<T>, clock: Clock, change?: Promise<unknown>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = clock.schedule(
      () => reject(new Error(`The store of grants did not answer within ${STORE_MS / 1000} seconds.`)),
      STORE_MS,
    );
    Promise.resolve(change).then(ask).finally(stop).then(resolve, reject);
  });
}

/** The last change of each store. */
const changes = new WeakMap<GrantStore, Promise<unknown>>();

/** Changes a store after its earlier changes, so that a removed grant is never stored afterwards. Settles as the store does. */
export function changeGrants(
  store: GrantStore,
  clock: Clock,
  change: () => Promise<unknown>,
): Promise<unknown> {
  const changed = Promise.resolve(changes.get(store)).then(() => answered(change, clock));
  changes.set(
    store,
    changed.catch(() => {}),
  );
  return changed;
}

/** Returns the grants of a store, without invalid grants. Returns an empty list without a store, and null if the store cannot be read. */
export async function loadGrants(
  store: GrantStore | null,
  ports: Pick<Ports, 'clock' | 'reportError'>,
): Promise<readonly Grant[] | null> {
  if (store === null) return [];
  try {
    const change = changes.get(store);
    const given: unknown = await answered(() => store.load(), ports.clock, change);
    // A list that was being loaded during a change may have the grants from before the change.
    if (changes.get(store) !== change) return await loadGrants(store, ports);
    if (!Array.isArray(given)) throw new Error('The store of grants did not answer with a list.');
    return given.flatMap((grant) => readGrant(grant, ports));
  } catch (error) {
    ports.reportError(error);
    return null;
  }
}

const grantShape = having({
  id: filled,
  tool: filled,
  definition: filled,
  remember: oneOf('always'),
  arguments: optional(reader(isJsonObject, 'it is no object')),
  at: positive,
  agent: optional(filled),
});

/** Returns a copy of a grant. An invalid grant is reported and left out. */
function readGrant(value: unknown, ports: Pick<Ports, 'reportError'>): readonly Grant[] {
  try {
    const copy = jsonCopy(value);
    grantShape(copy, 'A grant of the store');
    return [copy as unknown as Grant];
  } catch (error) {
    ports.reportError(error);
    return [];
  }
}
