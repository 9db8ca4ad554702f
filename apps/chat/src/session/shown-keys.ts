const signs: readonly (readonly [string, string])[] = [
  ['Meta+Shift+', '⇧⌘'],
  ['Meta+', '⌘'],
  ['Control+Shift+', 'Ctrl ⇧ '],
  ['Control+', 'Ctrl '],
  ['Escape', 'Esc'],
];

/** Keys as keyboards show them, from the form of `aria-keyshortcuts`. */
export function shownKeys(keys: string): string {
  for (const [name, sign] of signs) if (keys.startsWith(name)) return sign + keys.slice(name.length);
  return keys;
}
