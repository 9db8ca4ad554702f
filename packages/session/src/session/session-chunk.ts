// The entry of the chunk that is loaded late: a session without its outputs and the calls that wait for it.
export { preloadValidator } from '../tools/validators/load-validator.js';
export { loadSession } from './loaded-session.js';
