import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { append, Draft, set, type Change, type Path } from '../../src/state/change.js';

interface Item {
  text: string;
  lists: number[][];
}

interface State {
  log: { items: Item[]; late: number[]; head: { note: string } };
  beside: { text: string };
}

const ITEMS = 150;

function newState(): State {
  const items = Array.from({ length: ITEMS }, () => ({ text: '', lists: [[], []] }));
  return { log: { items, late: [], head: { note: '' } }, beside: { text: '' } };
}

/** The same changes on a state that is copied as a whole. */
class PlainState {
  private state = newState();
  private textEnds: Path[] = [];

  get current(): State {
    return structuredClone(this.state);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) this.make(change);
    const texts = changes.filter(({ kind, value }) => kind === 'append' && typeof value === 'string');
    this.textEnds = texts.length === changes.length ? texts.map(({ path }) => path) : [];
  }

  appendAgain(text: string): void {
    for (const path of this.textEnds) this.make(append(path, text));
  }

  private make({ kind, path, value }: Change): void {
    let node = this.state as unknown as Record<string | number, unknown>;
    for (const key of path.slice(0, -1)) node = node[key] as typeof node;
    const key = path.at(-1)!;
    if (kind === 'set') node[key] = structuredClone(value);
    else if (typeof node[key] === 'string') node[key] += value as string;
    else (node[key] as unknown[]).push(value);
  }
}

/** Returns the nodes of the log at a depth, from its field on. */
function nodesAt({ log }: State, depth: number): readonly unknown[] {
  if (depth === 0) return [log];
  if (depth === 1) return [log.items, log.late, log.head];
  return depth === 2 ? [...log.items] : log.items.map(({ lists }) => lists);
}

const itemAt = fc.nat(ITEMS - 1);
const change = fc.oneof(
  fc.tuple(itemAt, fc.string()).map(([at, value]) => append(['log', 'items', at, 'text'], value)),
  fc
    .tuple(itemAt, fc.nat(1), fc.nat())
    .map(([at, list, n]) => append(['log', 'items', at, 'lists', list], n)),
  fc.nat().map((n) => append(['log', 'late'], n)),
  fc.tuple(itemAt, fc.string()).map(([at, value]) => set(['log', 'items', at, 'text'], value)),
  fc.string().map((value) => append(['log', 'head', 'note'], value)),
  fc.string().map((value) => append(['beside', 'text'], value)),
);
/** Two changes for each of the first items, the whole range once or twice: each change by itself, or all of them at once. */
const range = fc.record({
  field: fc.constantFrom('text', 'lists'),
  items: fc.nat(ITEMS),
  isTwice: fc.boolean(),
  isOnce: fc.boolean(),
});

function changesOf({
  field,
  items,
  isTwice,
  isOnce,
}: typeof range extends fc.Arbitrary<infer T> ? T : never) {
  const changes = Array.from({ length: items * (isTwice ? 4 : 2) }, (_, index) => {
    const at = (index >> 1) % items;
    return field === 'text'
      ? append(['log', 'items', at, 'text'], 'x')
      : append(['log', 'items', at, 'lists', index % 2], index);
  });
  return isOnce ? [changes] : changes.map((one) => [one]);
}

const texts = fc.array(
  fc.oneof(
    itemAt.map((at) => append(['log', 'items', at, 'text'], 'x')),
    fc.constantFrom(append(['log', 'head', 'note'], 'x'), append(['beside', 'text'], 'x')),
  ),
  { minLength: 1, maxLength: 3 },
);
const apply = fc.oneof(texts, fc.array(change, { minLength: 1, maxLength: 4 }));

const step = fc.oneof(
  { weight: 4, arbitrary: apply.map((changes) => ({ apply: changes })) },
  { weight: 4, arbitrary: range.map((one) => ({ range: one })) },
  { weight: 4, arbitrary: fc.string().map((again) => ({ again })) },
  { weight: 1, arbitrary: fc.constantFrom('log', 'beside').map((take) => ({ take })) },
  { weight: 2, arbitrary: fc.nat(3).map((share) => ({ share })) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test('a draft has the same state as a copy with the same changes, and a field that was taken does not change', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const draft = new Draft<State>(newState());
      const plain = new PlainState();
      const taken: { readonly field: unknown; readonly copy: unknown }[] = [];
      const run = (one: Step) => {
        if ('apply' in one || 'range' in one) {
          for (const changes of 'range' in one ? changesOf(one.range) : [one.apply]) {
            draft.apply(changes);
            plain.apply(changes);
          }
        } else if ('again' in one) {
          if (draft.appendAgain(one.again)) plain.appendAgain(one.again);
        } else if ('take' in one) {
          const field = draft.take(one.take as 'log' | 'beside');
          taken.push({ field, copy: structuredClone(field) });
        } else {
          draft.share('log', one.share);
          const nodes = nodesAt(draft.current, one.share);
          taken.push({ field: nodes, copy: structuredClone(nodes) });
        }
      };
      steps.forEach(run);
      expect(draft.current).toEqual(plain.current);
      for (const { field, copy } of taken) expect(field).toEqual(copy);
    }),
    propertyRun('a draft', 3_000),
  );
});
