/**
 * Code for the clipboard: as shown, with invisible characters as their codes, and without a line break at the end, so that
 * a terminal runs nothing of it before the user presses Enter.
 */
export function copyableText(code: Element): string {
  return (code.textContent ?? '').trimEnd();
}
