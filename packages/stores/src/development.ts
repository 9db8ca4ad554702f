declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Whether the app runs in development. A bundler replaces `process.env.NODE_ENV`. In a browser without a bundler: false. */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return false;
  }
}
