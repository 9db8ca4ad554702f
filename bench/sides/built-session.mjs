// What `build-session.mjs` made; `run.mjs` calls it before it measures anything.
export * from '../../.cache/bench/session/index.js';
