// The floor of W14: a session that keeps nothing, beside a bare transaction for each flush, which gets one row and puts one.
export const createPageWithRows = () => ({ kept: 'rows' });
