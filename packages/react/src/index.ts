// With the exports of the session, so that a view imports one package.
export * from '@banister/session';
export { useSession } from './use-session.js';
export { useSignalValue } from './use-signal-value.js';
