// Loaded late: functions of the session that its own code has as well.
export { savedState } from '@banister/session';
export { initialState } from '@banister/session/operations';
export { readLog } from '@banister/session/log';
