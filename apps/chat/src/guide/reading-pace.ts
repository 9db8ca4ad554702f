/** How long the lines of a scenario stay, in milliseconds. */
export interface ReadingPace {
  /** A line that the user should read before anything happens. */
  readonly read: number;
  /** The time between two presses of the same kind. */
  readonly press: number;
}

const human: ReadingPace = { read: 2_000, press: 600 };
const paces: Readonly<Record<string, ReadingPace>> = {
  fast: { read: 150, press: 40 },
  // For tests that act while a line is shown, no matter how long they take.
  held: { read: 240_000, press: 240_000 },
};

/**
 * Returns the pace from the page's address: `?watch=held`, or fast with `?pace=fast`; by default the pace of
 * a reader.
 */
export function readingPaceIn(query: URLSearchParams): ReadingPace {
  const name = query.get('watch') ?? query.get('pace') ?? '';
  return Object.hasOwn(paces, name) ? paces[name]! : human;
}
