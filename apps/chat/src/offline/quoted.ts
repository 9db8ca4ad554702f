export const QUOTED = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|'([^']+)'(?=[\s,.;:!?]|$)/g;

/** The texts between quotation marks. */
export function quoted(text: string): readonly string[] {
  return [...text.matchAll(QUOTED)].map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4])!.trim());
}

/** The words of a text beside what stands between quotation marks, in lower case and without commas. */
export function besideQuotes(text: string): string {
  return text.replace(QUOTED, ' ').replace(/[,:]/g, ' ').replace(/\s+/g, ' ').trim().toLowerCase();
}
