/** How long the lines of a scenario stay, in milliseconds. */
export interface ReadingPace {
  /** A line that is to be read before anything happens. */
  readonly read: number;
  /** Between two presses of one kind. */
  readonly press: number;
}

const human: ReadingPace = { read: 2_000, press: 600 };
const paces: Readonly<Record<string, ReadingPace>> = {
  fast: { read: 150, press: 40 },
  // For tests that act at a line, however long they take.
  held: { read: 240_000, press: 240_000 },
};

/** The pace that the page's address asks for: `?watch=held`, or that of everything else in `?pace=fast`; by default that of a reader. */
export function readingPaceIn(query: URLSearchParams): ReadingPace {
  const name = query.get('watch') ?? query.get('pace') ?? '';
  return Object.hasOwn(paces, name) ? paces[name]! : human;
}
