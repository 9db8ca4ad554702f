// The floor of W8: the library of signals, which a session loads as well.
export const createSignalsModule = () => ({ specifier: import.meta.resolve('@preact/signals-core') });
