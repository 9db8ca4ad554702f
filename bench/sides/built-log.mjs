// The build of `build-packages.mjs`, which `run.mjs` calls before it measures anything.
export { memoryLog } from '../../.cache/bench/node_modules/@banister/storage/dist/index.js';
