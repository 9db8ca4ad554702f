// The entry of the chunk that is loaded late: a session without its outputs and the calls that wait for it.
export { preloadParts } from './preload-parts.js';
export { loadSession } from './loaded-session.js';
// Used by the page and by the chunk of logs. A bundler divides the first chunk of a page if this chunk lacks a module that both have.
export { foldedState } from '../state/shown-turns.js';
