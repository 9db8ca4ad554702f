// The entry `@banister/session/signals`: the signals of the copy of signals-core that a session uses, because tracking works only within one copy.
export { batch, computed, effect, signal, untracked, type ReadonlySignal } from '../signals/signals-core.js';
