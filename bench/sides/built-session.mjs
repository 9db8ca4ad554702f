// What `build-packages.mjs` made; `run.mjs` calls it before it measures anything.
export * from '../../.cache/bench/node_modules/@handrail/session/dist/index.js';
