/** Ends when the frozen page goes on; null while it is not frozen, undefined before it is watched. */
let thaw: Promise<void> | null | undefined;

/**
 * Resolves when the page is not frozen by the browser; returns null when it is not. Messages still reach a frozen page, and the answers of a
 * database do not: a transaction that it begins stays open, and holds up those of the other tabs.
 */
export function thawed(): Promise<void> | null {
  if (thaw === undefined) {
    thaw = null;
    const page = globalThis.document as Document | undefined;
    page?.addEventListener('freeze', () => {
      thaw = new Promise((resolve) => {
        const goOn = () => {
          thaw = null;
          resolve();
        };
        page.addEventListener('resume', goOn, { once: true });
      });
    });
  }
  return thaw;
}
