const build = '../../.cache/bench/node_modules/@banister/session/dist';
const { StateStore } = await import(`${build}/state/state-store.js`);
const { initialState } = await import(`${build}/state/initial-state.js`);

/** The floor of W12: the store of a session receives the log, operation by operation, and is read at the end. */
export const createLiveStore = () => ({
  fold(log) {
    const store = new StateStore(initialState());
    for (const operation of log) store.apply(operation);
    return store.snapshot();
  },
});
