declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Writes a warning for the programmer to the console, where `process.env.NODE_ENV` is `development`. A bundler drops it from what it builds for users. */
export function warnInDevelopment(message: string): void {
  try {
    if (process.env.NODE_ENV === 'development') console.warn(`@banister/session: ${message}`);
  } catch {
    // A page without a bundler has no `process`.
  }
}
