// W8: the built session, as Node resolves it.
const file = '../../.cache/bench/node_modules/@banister/session/dist/node/index.js';

export const createSessionModule = () => ({ specifier: new URL(file, import.meta.url).href });
