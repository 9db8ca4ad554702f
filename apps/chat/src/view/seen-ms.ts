/**
 * How long a question must be in sight before a key can answer it, in milliseconds, because an earlier key
 * press was meant for something else.
 */
export const SEEN_MS = 400;
