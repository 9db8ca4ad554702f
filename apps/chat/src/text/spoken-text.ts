/** Marks at the beginning of a line, or a whole line of marks, and what is said instead. */
const lines: readonly (readonly [marks: RegExp, spoken: string])[] = [
  // Fences, rules, underlines of headings, the second row of a table, targets of links.
  [/^ *(?:`{3}|~{3}).*$/gm, ''],
  [/^ *(?:[-*_=] *){2,}$/gm, ''],
  [/^ {0,3}\|?(?: {0,9}:?-{1,99}:? {0,9}\|)+(?: {0,9}:?-{1,99}:?)? *$/gm, ''],
  [/^ {0,3}\[[^[\]\n]{1,200}\]: *\S*.*$/gm, ''],
  [/^ *(?:> ?)+/gm, ''],
  [/^ *#{1,6} +/gm, ''],
  [/^ *[-*+] +\[ \] +/gm, 'To do: '],
  [/^ *[-*+] +\[[xX]\] +/gm, 'Done: '],
  [/^ *[-*+] +/gm, ''],
  [/^ *\| */gm, ''],
  [/ ?\| {0,9}$/gm, ''],
];

/** Marks inside a line. Each pattern looks at a bounded number of characters, so that no text takes long. */
const inline: readonly (readonly [marks: RegExp, spoken: string])[] = [
  [/!?\[([^[\]\n]{0,500})\](?:\([^()\s]{0,2000}(?: "[^"\n]{0,200}")?\)|\[[^[\]\n]{0,200}\])/g, '$1'],
  [/ ?\| {0,9}/g, ', '],
  [/`+/g, ''],
  [/~~/g, ''],
  [/(?<![\p{L}\p{N}\\])[*_]{1,3}(?=\S)|(?<=[^\s\\])[*_]{1,3}(?![\p{L}\p{N}])/gu, ''],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
];

/**
 * Returns the Markdown of a model as text for a screen reader, without its marks.
 *
 * @example
 * spokenText('### Plan\n\n- **one** of [two](https://a.example)'); // 'Plan\n\none of two'
 */
export function spokenText(markdown: string): string {
  return [...lines, ...inline]
    .reduce((text, [marks, spoken]) => text.replace(marks, spoken), markdown)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
