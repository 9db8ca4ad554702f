export const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|'([^']+)'(?=[\s,.;:!?]|$)/g;

/** Returns the texts between quotation marks. */
export function quoted(text: string): readonly string[] {
  return [...text.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4])!.trim());
}

/** Returns the words of a text outside of quotation marks, in lower case and without commas. */
export function besideQuotes(text: string): string {
  return text.replace(QUOTED, ' ').replace(/[,:]/g, ' ').replace(/\s+/g, ' ').trim().toLowerCase();
}
