/** How long a question is in sight before it takes an answer by a key, in milliseconds: a key that was on its way is for what stood there before. */
export const SEEN_MS = 400;
