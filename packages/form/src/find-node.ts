import type { FormNode } from './form-node.js';

/** Returns the field in which another one is; null for none. */
export function parentOf(node: FormNode, id: string): FormNode | null {
  if (!id.startsWith(`${node.id}/`)) return null;
  if (node.children.some((child) => child.id === id)) return node;
  return node.children.map((child) => parentOf(child, id)).find((parent) => parent !== null) ?? null;
}

/** Returns how many fields a tree has. */
export function countOf(node: FormNode): number {
  return node.children.reduce((count, child) => count + countOf(child), 1);
}

/** Whether a text of the tree is no value, or a row has no name that it can have. */
export function hasProblem({ problem, hasNameProblem, children }: FormNode): boolean {
  return problem !== null || hasNameProblem || children.some(hasProblem);
}
