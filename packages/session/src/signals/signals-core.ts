export { batch, computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals-core';
