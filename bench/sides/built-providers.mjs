// The build of `build-packages.mjs`, which `run.mjs` calls before it measures anything.
export { anthropic } from '../../.cache/bench/node_modules/@banister/anthropic/dist/index.js';
export { openai } from '../../.cache/bench/node_modules/@banister/openai/dist/index.js';
