// Functions that read and write the states of sessions, in a chunk that the page loads late.
export { savedState } from '@banister/session/log';
export { initialState } from '@banister/session/operations';
export { readLog } from '@banister/session/log';
