// The entry `@banister/session/log`: the port of logs, and what a log stores, for packages that keep sessions.
export type {
  ClaimOptions,
  Lease,
  Link,
  ListedSession,
  LoadedLog,
  ListQuery,
  AppendOptions,
  LogChannel,
  LogRecord,
} from '../log/session-log.js';
export { readLog } from '../log/read-saved-log.js';
export type { ReadLog } from '../log/read-log.js';
export { savedState } from '../state/stored-state.js';

// The port to a store of facts.
export type { MemoryItem, MemorySource, MemoryStore } from '../ports/memory-store.js';
