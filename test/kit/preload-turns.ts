import { preloadTurns } from '@banister/session';

// Before every test file: a turn then begins in the same moment as its session's `send`.
await preloadTurns({ ports: { journal: { write: () => {} } } });
