import { preloadTurns } from '../../.cache/bench/node_modules/@banister/session/dist/node/index.js';

// The build of `build-packages.mjs`, which `run.mjs` calls before it measures anything.
export * from '../../.cache/bench/node_modules/@banister/session/dist/node/index.js';
export {
  fold,
  initialState,
} from '../../.cache/bench/node_modules/@banister/session/dist/node/operations.js';
export { textPieces } from '../../.cache/bench/node_modules/@banister/session/dist/node/view.js';

// Loading does not belong to a turn's cost, because a session loads its code when it is created, long before the first turn.
await preloadTurns();
