// A view needs one package: everything of the session comes along.
export * from '@handrail/session';
export { useSession } from './use-session.js';
export { useSignal } from './use-signal.js';
