import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sqliteLog } from '@banister/storage/sqlite';
import { createVirtualClock, sessionLogConformance } from '@banister/testing';
import { describe, it } from 'vitest';

const noChannel = 'processes have no channel';
const asked = 'a process that waits for the lease claims again and again';

sessionLogConformance(
  'sqliteLog',
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'banister-'));
    const file = path.join(folder, 'chats.db');
    const time = createVirtualClock();
    // Leases expire in the time of the test, but tails look again in real time.
    const clock = {
      now: () => time.now(),
      schedule: (callback: () => void, ms: number) => {
        const handle = setTimeout(callback, ms);
        return () => clearTimeout(handle);
      },
    };
    const [log, other] = [sqliteLog(file, { clock }), sqliteLog(file, { clock })];
    return {
      log,
      other,
      pass: (ms) => time.advance(ms),
      dispose() {
        log.close();
        other.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  { describe, it },
  {
    skip: {
      channel: noChannel,
      'channel-end': noChannel,
      'channel-copies': noChannel,
      freed: asked,
      'freed-end': asked,
    },
  },
);
