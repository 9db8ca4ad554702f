import './without-locks.js';
import 'fake-indexeddb/auto';
import { indexedDbLog } from '@banister/storage';
import { createVirtualClock, sessionLogConformance } from '@banister/testing';
import { describe, it } from 'vitest';

const asked = 'without locks a page that waits for the lease claims again and again';
let count = 0;

sessionLogConformance(
  'indexedDbLog without locks',
  () => {
    const clock = createVirtualClock();
    const name = `log-${++count}`;
    return {
      log: indexedDbLog({ name, clock }),
      other: indexedDbLog({ name, clock }),
      pass: (ms) => clock.advance(ms),
    };
  },
  { describe, it },
  { skip: { freed: asked, 'freed-end': asked } },
);
