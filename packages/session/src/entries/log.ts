// The entry `@banister/session/log`: the port of logs, for packages that keep sessions.
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
} from '../session/session-log.js';
export { readLog } from '../session/read-saved-log.js';
export type { ReadLog } from '../session/read-log.js';
