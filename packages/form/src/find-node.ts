import type { FormNode } from './form-node.js';

/** Returns the field directly around the field with this id; null if there is none. */
export function parentOf(node: FormNode, id: string): FormNode | null {
  if (!id.startsWith(`${node.id}/`)) return null;
  if (node.children.some((child) => child.id === id)) return node;
  return node.children.map((child) => parentOf(child, id)).find((parent) => parent !== null) ?? null;
}

/** Returns the number of fields in a tree. */
export function countOf(node: FormNode): number {
  return node.children.reduce((count, child) => count + countOf(child), 1);
}

/** Whether a text in the tree is not a valid value, or the name of a row is not valid. */
export function hasProblem({ problem, hasNameProblem, children }: FormNode): boolean {
  return problem !== null || hasNameProblem || children.some(hasProblem);
}
