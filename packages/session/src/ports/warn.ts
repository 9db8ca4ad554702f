declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Writes a line, and the values after it, to the console in development. Does nothing in a production build, in a test, or in a browser if
 * no bundler replaced `process.env.NODE_ENV`.
 */
export function warn(message: string, ...values: readonly unknown[]): void {
  let mode: string | undefined = 'production';
  try {
    mode = process.env.NODE_ENV;
  } catch {
    // `process` does not exist.
  }
  if (mode === 'production' || mode === 'test') return;
  try {
    console.warn(`@banister/session: ${message}`, ...values);
  } catch {
    // The console reads the fields of a value, and a getter may throw.
  }
}
