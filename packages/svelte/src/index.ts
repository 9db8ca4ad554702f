// With the exports of the session, so that a view imports one package.
export * from '@banister/session';
export { fromSession } from './from-session.js';
export { fromSignal, type Current } from './from-signal.js';
