import { indexedDbLog } from '@banister/storage';
import { createVirtualClock, sessionLogConformance } from '@banister/testing';
import { deleteDB } from 'idb';
import { describe, it, vi } from 'vitest';

const asked = 'without locks a page that waits for the lease claims again and again';
let count = 0;

/** Two connections to a new database. They read the page's lock manager when they are made. */
function makeLogs(clock = createVirtualClock()) {
  const name = `log-${++count}`;
  return {
    log: indexedDbLog({ name, clock }),
    other: indexedDbLog({ name, clock }),
    pass: (ms: number) => clock.advance(ms),
    dispose: () => deleteDB(name),
  };
}

const untilItsPageEnds = 'a lease lasts as long as the page of its owner';
sessionLogConformance(
  'indexedDbLog',
  () => makeLogs(),
  { describe, it },
  {
    skip: {
      'lease-time': untilItsPageEnds,
      renew: untilItsPageEnds,
      'orphans-time': untilItsPageEnds,
    },
  },
);

sessionLogConformance(
  'indexedDbLog without Web Locks',
  () => {
    const locks = vi.spyOn(navigator, 'locks', 'get').mockReturnValue(undefined as unknown as LockManager);
    const logs = makeLogs();
    locks.mockRestore();
    return logs;
  },
  { describe, it },
  { skip: { freed: asked, 'freed-end': asked } },
);
