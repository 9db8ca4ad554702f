import type { ValidationIssue } from '@banister/session';
import type { FormNode } from './form-node.js';
import type { FormWords } from './form-words.js';

/** The errors of fields, by field id. */
export type Placed = ReadonlyMap<string, readonly string[]>;

/** An issue with its field. */
interface PlacedIssue {
  readonly node: FormNode;
  readonly message: string;
  /** The alternatives that contain the field. */
  readonly around: readonly FormNode[];
  /** Whether the issue may belong to an alternative that is not selected. */
  readonly isDoubtful: boolean;
  /** If the field is left out: the group around it. Otherwise null. */
  readonly without: FormNode | null;
}

/** Assigns each issue to its field, or to the nearest field around it. */
export function placeIssues(root: FormNode, issues: readonly ValidationIssue[], words: FormWords): Placed {
  const placed = issues.map((issue) => placeOf(root, issue, words));
  // A check reports the issues of every alternative. If the selected alternative has its own issues, they are enough.
  const explained = new Set(placed.filter(({ isDoubtful }) => !isDoubtful).flatMap(({ around }) => around));
  const wrong = new Set(placed.map(({ node }) => node));
  const errors = new Map<string, string[]>();
  for (const { node, message, around, isDoubtful, without } of placed) {
    if (isDoubtful && around.some((alternatives) => explained.has(alternatives))) continue;
    // A condition such as `anyOf: [{ required: ['id'] }, …]` is an error of the group: the fields left out do not repeat it.
    if (without !== null && wrong.has(without)) continue;
    const known = errors.get(node.id) ?? [];
    if (!known.includes(message)) errors.set(node.id, [...known, message]);
  }
  return errors;
}

function placeOf(root: FormNode, { path, message }: ValidationIssue, words: FormWords): PlacedIssue {
  const around: FormNode[] = [];
  let node = root;
  let parent: FormNode | null = null;
  let depth = 0;
  while (true) {
    const inner = node.kind === 'alternatives' ? node.children[0] : undefined;
    if (inner && depth < path.length) {
      around.push(node);
      node = inner;
      continue;
    }
    const child = depth < path.length ? childOf(node, path[depth]!) : undefined;
    if (!child) break;
    parent = node;
    node = child;
    depth++;
  }
  if (node.kind === 'alternatives') around.push(node);
  const rest = path.slice(depth);
  const isDoubtful =
    around.length > 0 && (rest.length > 0 || node.kind === 'fixed' || node.kind === 'alternatives');
  return {
    node,
    message: rest.length === 0 ? message : words.inside(partText(node, rest, words), message),
    around,
    isDoubtful,
    without: node.value === undefined && !node.isRequired && rest.length === 0 ? parent : null,
  };
}

function childOf(node: FormNode, key: string): FormNode | undefined {
  if (node.kind === 'list') return node.children[Number(key)];
  if (node.kind !== 'group') return undefined;
  return node.children.find(({ name, hasNameProblem }) => name === key && !hasNameProblem);
}

/** Returns the position of an issue inside a field: `Item 2` for a list without fields for its items, otherwise the keys. */
function partText({ kind }: FormNode, rest: readonly string[], words: FormWords): string {
  return kind === 'lines' || kind === 'checks' ? words.item(Number(rest[0]) + 1) : rest.join('.');
}
