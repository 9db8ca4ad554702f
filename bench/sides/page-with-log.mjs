// A session with `indexedDbLog`.
export const createPageWithLog = () => ({ withLog: true });
