/** True where a page's visitor can read what the code holds. The same test as the official client's. */
export function isBrowser(): boolean {
  return typeof document !== 'undefined' && typeof navigator !== 'undefined';
}

/** True when a page of one origin asks a server of another, which then decides which headers it lets through. */
export function isCrossOrigin(url: string): boolean {
  return isBrowser() && new URL(url, document.baseURI).origin !== location.origin;
}
