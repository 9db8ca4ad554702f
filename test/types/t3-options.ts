// T3: an option that may be absent may be undefined.
export {};
