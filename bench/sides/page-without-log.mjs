// The floor of W13 to W16: a session that keeps nothing, or the bare data.
export const createPageWithoutLog = () => ({ withLog: false });
