// A log for a page that is killed.
import type { SessionLog } from '@banister/session';
import type { Lease } from '@banister/session/log';

/** The log of a page that is killed before its write with this number: from then on the page writes and reads nothing. */
export function mortalLog(inner: SessionLog, lastWrite: number) {
  const leases = new Map<string, Lease>();
  let writes = 0;
  let isDead = false;
  const never = new Promise<never>(() => {});
  const alive = <T>(work: () => Promise<T>): Promise<T> => (isDead ? never : work());
  const writing = <T>(work: () => Promise<T>): Promise<T> => {
    if (!isDead && writes++ >= lastWrite) {
      isDead = true;
      // The browser frees the leases of a page that was killed, so that the next page can claim them.
      for (const lease of leases.values()) void inner.release(lease);
    }
    return alive(work);
  };
  const log: SessionLog = {
    claim: (...args) =>
      alive(async () => {
        const lease = await inner.claim(...args);
        leases.set(lease.id, lease);
        return lease;
      }),
    renew: (lease) => alive(() => inner.renew(lease)),
    release: (lease) => alive(() => inner.release(lease)),
    append: (...args) => writing(() => inner.append(...args)),
    snapshot: (...args) => writing(() => inner.snapshot(...args)),
    describe: (...args) => writing(() => inner.describe(...args)),
    remove: (id) => writing(() => inner.remove(id)),
    load: (id) => alive(() => inner.load(id)),
    list: (query) => alive(() => inner.list(query)),
    freed: (id, signal) => inner.freed!(id, signal),
    tail: (...args) => inner.tail(...args),
  };
  return { log, dead: () => isDead, spare: () => (writes = -Infinity) };
}
