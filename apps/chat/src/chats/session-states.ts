// Loaded late: functions of the session that its own code has as well.
export { initialState, readLog, savedState } from '@banister/session';
