// The floor of W14: a session without a log, plus a bare transaction for each flush, which gets a row and puts a row.
export const createPageWithRows = () => ({ kept: 'rows' });
