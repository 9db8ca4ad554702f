import type { SessionLog } from '@banister/session';
import type { Lease } from '@banister/session/log';
import * as heads from './log-head.js';
import type { StoredLogParts } from './stored-log-parts.js';

/** Returns the lease methods of a stored log. */
export function storedLeases({
  rows,
  clock,
  signs,
}: StoredLogParts): Pick<SessionLog, 'claim' | 'renew' | 'release' | 'freed'> {
  /** The owners of the leases that were claimed in this page and not released. */
  const owners = new Map<string, string>();

  /** Resolves with the epoch of the current lease if its owner shows no sign of life; otherwise with null. */
  const epochOfGone = async (id: string, owner: string): Promise<number | null> => {
    if (signs === null) return null;
    const { holder, epoch } = (await rows.read(id, 0, 0)).head;
    const isOther = holder !== null && holder.until === null && holder.owner !== owner;
    return isOther && !(await signs.isShown(id, holder.owner)) ? epoch : null;
  };

  return {
    async claim(id, owner, ttlMs, { steal } = {}) {
      const until = signs === null ? clock.now() + ttlMs : null;
      const gone = await epochOfGone(id, owner);
      await signs?.show(id, owner);
      try {
        const head = await rows.change(id, (found) => {
          const free = found.epoch === gone ? { ...found, holder: null } : found;
          return { head: heads.claimed(free, { owner, ttlMs, until }, clock.now(), steal) };
        });
        const lease = heads.leaseOf(head);
        owners.set(keyOf(lease), owner);
        return lease;
      } catch (error) {
        signs?.hide(id, owner);
        throw error;
      }
    },

    async renew(lease) {
      // With signs of life a lease does not expire: renewing it only checks it.
      if (signs !== null) heads.checked((await rows.read(lease.id, 0, 0)).head, lease);
      else await rows.change(lease.id, (head) => ({ head: heads.renewed(head, lease, clock.now()) }));
    },

    async release(lease) {
      const { holder } = await rows.change(lease.id, (head) => ({ head: heads.released(head, lease) }));
      const owner = owners.get(keyOf(lease));
      owners.delete(keyOf(lease));
      // Also hide the sign of a stolen lease, unless its owner has claimed again.
      if (owner !== undefined && owner !== holder?.owner) signs?.hide(lease.id, owner);
    },

    ...(signs && {
      async freed(id: string, signal: AbortSignal) {
        const { holder } = (await rows.read(id, 0, 0)).head;
        if (holder !== null) await signs.ended(id, holder.owner, signal);
      },
    }),
  };
}

function keyOf({ id, epoch }: Lease): string {
  return `${epoch} ${id}`;
}
