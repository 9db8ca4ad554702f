import { preloadTurns } from '../../.cache/bench/node_modules/@handrail/session/dist/node/index.js';

// What `build-packages.mjs` made; `run.mjs` calls it before it measures anything.
export * from '../../.cache/bench/node_modules/@handrail/session/dist/node/index.js';

// Loading is no part of a turn's cost: a session does it when it is created, long before the first turn.
await preloadTurns();
