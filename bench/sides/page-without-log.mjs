// The floor of W15 to W17: a session that keeps nothing, or the bare data.
export const createPageWithoutLog = () => ({ kept: 'nothing' });
