// The floor of W15 to W17: a session without a log, or the bare data.
export const createPageWithoutLog = () => ({ kept: 'nothing' });
