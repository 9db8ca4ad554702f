declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Writes a line, and values behind it, to the console in development: not in a production build, in a test, or in a browser where no bundler replaced the name. */
export function warn(message: string, ...values: readonly unknown[]): void {
  let mode: string | undefined = 'production';
  try {
    mode = process.env.NODE_ENV;
  } catch {
    // There is no such name.
  }
  if (mode !== 'production' && mode !== 'test') console.warn(`@banister/session: ${message}`, ...values);
}
