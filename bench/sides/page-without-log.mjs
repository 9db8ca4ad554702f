// The floor of W14 to W17: a session that keeps nothing, or the bare data.
export const createPageWithoutLog = () => ({ withLog: false });
