import { memoryLog } from '@handrail/storage';
import { createVirtualClock, sessionLogConformance } from '@handrail/testing';
import { describe, it } from 'vitest';

sessionLogConformance(
  'memoryLog',
  () => {
    const clock = createVirtualClock();
    return { log: memoryLog({ clock }), pass: (ms) => clock.advance(ms) };
  },
  { describe, it },
);
