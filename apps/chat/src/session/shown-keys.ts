const signs: readonly (readonly [string, string])[] = [
  ['Meta+Shift+', '⇧⌘'],
  ['Meta+', '⌘'],
  ['Control+Shift+', 'Ctrl ⇧ '],
  ['Control+', 'Ctrl '],
  ['Escape', 'Esc'],
];

/** Converts keys from the format of `aria-keyshortcuts` to the names on keyboards. */
export function shownKeys(keys: string): string {
  for (const [name, sign] of signs) if (keys.startsWith(name)) return sign + keys.slice(name.length);
  return keys;
}
