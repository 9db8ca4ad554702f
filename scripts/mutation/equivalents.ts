import type { Mutant } from './mutants.js';

/** A mutant that no test can distinguish from the source, because it does the same. */
export interface Equivalent {
  /** The name of its file, as `nameOf` returns it. */
  readonly file: string;
  /** The named function that it is in. */
  readonly inside: string;
  readonly from: string;
  readonly to: string;
  /** A part of its line, if the function has several mutants of this kind. */
  readonly on?: string;
  /** Why it does the same. */
  readonly reason: string;
}

const onlyTheSign = 'Only the sign of a comparison counts.';
const limitsAreAboveZero = 'A limit is above 0, so that neither number exceeds it.';
const skipsFromAboveZero = 'Skipping begins at a depth of 1 or more, and a number below 0 stands for none.';
const belowZero = 'A number below 0 stands for none.';
const sameBehind = 'The elements at the ends are the same objects, and behind a list there is none.';
const notAskedInPause = 'The time is not read while the clock is paused.';

/** The equivalent mutants, which are not drawn. */
export const equivalents: readonly Equivalent[] = [
  { file: 'undo/revisions.ts', inside: 'asRevision', on: '-1 : 1', from: '1', to: '2', reason: onlyTheSign },
  {
    file: 'undo/revisions.ts',
    inside: 'asRevision',
    on: '-1 : 1',
    from: '1',
    to: '0',
    reason: 'Sorting asks only whether a domain is before another one, and no two have the same id.',
  },
  { file: 'undo/revisions.ts', inside: 'asRevision', from: '-1', to: '(-2)', reason: onlyTheSign },
  {
    file: 'state/state-store.ts',
    inside: 'foldText',
    from: 'this.textOf = turn;',
    to: ';',
    reason:
      'Text that follows text is then folded by its handler instead of appended: the same state, but slower.',
  },
  ...['1', '(-1)'].map((to) => ({
    file: 'state/change.ts',
    inside: '',
    on: 'private length',
    from: '0',
    to,
    reason: 'The trail is empty at first: no node is on it, and its length is set with the first one.',
  })),
  {
    file: 'state/change.ts',
    inside: 'append',
    from: 'this.leaveTrail(depth);',
    to: ';',
    reason: 'The nodes behind the list count as those of a reader then, and are copied once more.',
  },
  {
    file: 'state/state-store.ts',
    inside: 'fold',
    on: 'mayChangeCalls',
    from: '&&',
    to: '||',
    reason:
      'The active calls are then derived more often: the list stays the same one where no call changed.',
  },
  ...['put', 'append', 'endString'].flatMap((inside) => [
    {
      file: 'state/partial-json.ts',
      inside,
      on: 'skipFrom <',
      from: '<',
      to: '<=',
      reason: skipsFromAboveZero,
    },
    {
      file: 'state/partial-json.ts',
      inside,
      on: 'skipFrom <',
      from: '0',
      to: '1',
      reason: skipsFromAboveZero,
    },
  ]),
  { file: 'state/partial-json.ts', inside: 'endValue', from: '-1', to: '(-2)', reason: skipsFromAboveZero },
  {
    file: 'state/partial-json.ts',
    inside: 'initialParser',
    from: '-1',
    to: '(-2)',
    reason: skipsFromAboveZero,
  },
  {
    file: 'state/partial-json.ts',
    inside: 'readString',
    on: 'end > start',
    from: '>',
    to: '>=',
    reason: 'Appending an empty text changes nothing.',
  },
  { file: 'limits/limit-clock.ts', inside: 'elapsed', from: '0', to: '1', reason: notAskedInPause },
  { file: 'limits/limit-clock.ts', inside: 'elapsed', from: '0', to: '(-1)', reason: notAskedInPause },
  ...[
    { inside: 'tokenTrip', amount: 'totalTokensOf(usage)' },
    { inside: 'costTrip', amount: 'cost?.amount' },
  ].flatMap(({ inside, amount }) => [
    {
      file: 'limits/spending.ts',
      inside,
      from: `${amount} ?? 0`,
      to: amount,
      reason: 'An unknown amount, undefined, exceeds no limit either.',
    },
    { file: 'limits/spending.ts', inside, from: '0', to: '(-1)', reason: limitsAreAboveZero },
  ]),
  {
    file: 'schema/linear-pattern.ts',
    inside: 'lookaround',
    on: 'Uint8Array',
    from: '1',
    to: '2',
    reason: 'The array is one byte longer than it has to be.',
  },
  {
    file: 'schema/linear-pattern.ts',
    inside: 'readerOf',
    from: 'this.readers.set(element, reads);',
    to: ';',
    reason: 'The map is a cache: without it, equal readers are made for each use of an element.',
  },
  {
    file: 'state/change.ts',
    inside: 'leaveTrail',
    from: 'this.aside.add(this.trail[i]!);',
    to: ';',
    reason: 'A node that the field has to itself is then copied once more: the same state, but slower.',
  },
  {
    file: 'middleware/after-response.ts',
    inside: 'partsOf',
    from: 'current().fold.turn?.round?.finish ?? null',
    to: 'current().fold.turn?.round?.finish',
    reason: 'An answer has a round, whose end is null until it comes.',
  },
  ...[
    ['facts.closed || connection.signal.aborted', 'false'],
    ['||', '&&'],
  ].map(([from = '', to = '']) => ({
    file: 'compaction/read-summary.ts',
    inside: 'readSummary',
    on: 'facts.closed',
    from,
    to,
    reason: 'A subscriber that is closed ignores the second fact.',
  })),
  ...['private allChanges', 'private anyChanges'].flatMap((on) =>
    ['1', '(-1)'].map((to) => ({
      file: 'context/context-cache.ts',
      inside: '',
      on,
      from: '0',
      to,
      reason: 'Only whether the number has changed since counts.',
    })),
  ),
  {
    file: 'context/resolve-attachments.ts',
    inside: 'hasFiles',
    on: 'return false',
    from: 'false',
    to: 'true',
    reason:
      'Messages without files are then looked at part by part, and stay as they are: the same, but slower.',
  },
  {
    file: 'stores/diff-lists.ts',
    inside: 'diffLists',
    from: `before.length === after.length &&
    hasSameKeys(found.key, before, after, start, end) &&
    isKeyed(before, found.key)`,
    to: 'false',
    reason: 'The elements are then looked up by their keys: the same changes, but slower.',
  },
  {
    file: 'stores/diff-lists.ts',
    inside: 'diffLists',
    on: 'index < before.length',
    from: '-',
    to: '+',
    reason: sameBehind,
  },
  {
    file: 'stores/diff-lists.ts',
    inside: 'hasSameKeys',
    on: 'index < before.length',
    from: '-',
    to: '+',
    reason:
      'Behind the lists there is no key, so that the elements are looked up by their keys: the same, but slower.',
  },
  { file: 'stores/diff-lists.ts', inside: 'sameEnds', from: '0', to: '(-1)', reason: sameBehind },
  {
    file: 'stores/lists.ts',
    inside: 'copied',
    from: 'this.known.set(copy, positions && new Map(positions));',
    to: ';',
    reason: 'The keys of the copy are then read when one is looked up: the same positions, but slower.',
  },
  {
    file: 'undo/closure-history.ts',
    inside: 'inCallOrder',
    from: 'b.position ?? 0',
    to: 'b.position',
    reason:
      'No position is below 0, and sorting asks whether an entry is before the one that has no position.',
  },
  {
    file: 'stores/diff-lists.ts',
    inside: 'sameEnds',
    on: 'end < length - start',
    from: '-',
    to: '+',
    reason:
      'Other elements are then compared by their keys: the same changes, but slower. No element of a list with keys is in two places.',
  },
  ...[
    ['-', '+'],
    ['1', '0'],
  ].map(([from = '', to = '']) => ({
    file: 'stores/draft.ts',
    inside: 'takeOutOf',
    on: 'list.length - 1',
    from,
    to,
    reason: 'Behind a list there is no element with a key.',
  })),
  {
    file: 'stores/draft.ts',
    inside: 'takeOutOf',
    on: 'at >= 0',
    from: '0',
    to: '(-1)',
    reason: 'Before a list there is no element with a key.',
  },
  {
    file: 'stores/redux.ts',
    inside: 'undoableEnhancer',
    from: 'true',
    to: 'false',
    reason: 'Only whether the mark is there counts.',
  },
  { file: 'stores/diff-lists.ts', inside: 'longestRise', from: '-1', to: '(-2)', reason: belowZero },
  {
    file: 'stores/diff-lists.ts',
    inside: 'longestRise',
    on: 'index >= 0',
    from: '0',
    to: '(-1)',
    reason: belowZero,
  },
  {
    file: 'stores/diff-lists.ts',
    inside: 'sameEnds',
    on: 'end < length - start',
    from: '<',
    to: '<=',
    reason:
      'One list is the beginning of the other one then. No element of a list with keys is in two places.',
  },
  {
    file: 'stores/watched-store.ts',
    inside: 'countedRevisions',
    on: 'let count',
    from: '0',
    to: '(-1)',
    reason: 'Only whether two revisions are equal counts.',
  },
  ...['0', '(-2)'].map((to) => ({
    file: 'stores/trace.ts',
    inside: 'behindSame',
    from: '-1',
    to,
    reason:
      'Before a trace there is no value, and from its beginning fewer values are left than lead to its end: it is not the same either, but that takes longer.',
  })),
  ...[
    ['isList && trace.length === copies.length + 2', 'false'],
    ['+', '-'],
    ['2', '1'],
  ].map(([from = '', to = '']) => ({
    file: 'stores/trace.ts',
    inside: 'fromTrace',
    on: 'if (isList && trace.length',
    from,
    to,
    reason: 'The list is then made of the same copies, one by one.',
  })),
  {
    file: 'stores/derived-copies.ts',
    inside: 'PIECE',
    from: '32',
    to: '33',
    reason: 'The copies of a list are the same, whatever pieces it is made of.',
  },
  {
    file: 'stores/runes.svelte.ts',
    inside: 'copies',
    from: '$effect.pre(() => void resultOf(value));',
    to: ';',
    reason: 'Svelte then looks for changes at each reading: the same copies, but slower.',
  },
];

/** Whether the list has this mutant. */
export function isEquivalent(mutant: Mutant): boolean {
  return equivalents.some((equivalent) => isSame(equivalent, mutant));
}

export function isSame({ file, inside, from, to, on = '' }: Equivalent, mutant: Mutant): boolean {
  const isHere = nameOf(mutant.file) === file && mutant.inside === inside;
  return isHere && mutant.lineText.includes(on) && mutant.from === from && mutant.to === to;
}

/** Returns a short name of a source: its path in packages/session/src, or its path in packages. */
export function nameOf(file: string): string {
  return file.replace(/^packages\/(?:session\/src\/)?/, '').replace('/src/', '/');
}
