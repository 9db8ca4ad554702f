// A view needs one package: everything of the session comes along.
export * from '@handrail/session';
export { fromSession } from './from-session.js';
export { fromSignal, type Current } from './from-signal.js';
