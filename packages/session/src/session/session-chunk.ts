// The chunk that is loaded late: all of a session but its outputs, and the calls that wait for it.
export { preloadValidator } from '../tools/validators/load-validator.js';
export { loadSession } from './loaded-session.js';
