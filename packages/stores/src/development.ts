declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Whether the app runs in development. A bundler replaces the name, and where there is none, in a browser, the answer is no. */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
}
