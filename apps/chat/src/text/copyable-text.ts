/**
 * Returns code for the clipboard: as shown, with invisible characters as their codes. There is no line break
 * at the end, so that a terminal does not run it before the user presses Enter.
 */
export function copyableText(code: Element): string {
  return (code.textContent ?? '').trimEnd();
}
