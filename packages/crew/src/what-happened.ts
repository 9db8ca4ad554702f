import type { JsonObject, UndoReport } from '@banister/session';

/** The highest numbers of characters that another model reads of the text of an agent, and of a problem. */
const LONGEST_TEXT = 8_000;
const LONGEST_PROBLEM = 500;

interface Described {
  readonly description: string;
}

/** What a turn of an agent did. */
export interface Happened {
  readonly text?: string | undefined;
  readonly effects?: readonly Described[] | undefined;
  /** The report of the rollback, if effects were taken back. */
  readonly report?: UndoReport | undefined;
  /** Why the turn did not complete. */
  readonly problem?: string | undefined;
}

/** Returns what a model reads about a turn. A text of an agent is a value of JSON, so that the text cannot imitate another part. */
export function whatHappened({ text = '', effects, report, problem = '' }: Happened): JsonObject {
  const all = {
    problem: shortened(problem, LONGEST_PROBLEM),
    text: shortened(text),
    changed: named(effects),
    takenBack: named(report?.done),
    stays: named([...(report?.failed ?? []), ...(report?.irreversible ?? []), ...(report?.lost ?? [])]),
    unknown: named(report?.unknown),
  };
  return Object.fromEntries(Object.entries(all).filter(([, { length }]) => length > 0));
}

/** Returns a text, or its beginning if it is too long for another model. Half of a character is left out. */
export function shortened(text: string, most: number = LONGEST_TEXT): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

function named(items: readonly Described[] = []): readonly string[] {
  return items.map(({ description }) => description);
}
