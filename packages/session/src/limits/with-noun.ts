/** Returns a number with its noun: "1 round", "2 rounds". */
export function withNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
