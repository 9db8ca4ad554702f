/**
 * True in a web page, where visitors can read every value in the code. The official clients use the same
 * test.
 */
export function isBrowser(): boolean {
  return typeof document !== 'undefined' && typeof navigator !== 'undefined';
}

/** True for a request from a page to another origin, whose server must allow each header. */
export function isCrossOrigin(url: string): boolean {
  return isBrowser() && new URL(url, document.baseURI).origin !== location.origin;
}
