// A session with `indexedDbLog`.
export const createPageWithLog = () => ({ kept: 'log' });
