/** Resolves when the frozen page resumes. null: the page is not frozen; undefined: the listeners are not added yet. */
let thaw: Promise<void> | null | undefined;

/**
 * Resolves when the browser resumes the frozen page; returns null if the page is not frozen. A frozen page still receives messages, but
 * no results of a database: its transaction would stay open and block the transactions of other tabs.
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
