/**
 * Code as it may be copied: what was on the screen, unseen characters by their code, and no line break at the end. Pasted
 * in a terminal, nothing runs before its reader presses Enter.
 */
export function copyableText(code: Element): string {
  return (code.textContent ?? '').trimEnd();
}
