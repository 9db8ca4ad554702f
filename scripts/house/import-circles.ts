import { importsOf } from './read-imports.js';

/**
 * The circles of imports between files. Each circle lists the files that reach each other, sorted by name. Type imports count, and imports
 * that a function makes later count too. A file that imports itself is not a circle, because a component may draw itself.
 *
 * @param files paths from the root
 */
export function circlesOf(files: readonly string[]): readonly (readonly string[])[] {
  const reached = new Map(files.map((file) => [file, reachedFrom(file)]));
  const circles = new Map<string, readonly string[]>();
  for (const [file, targets] of reached) {
    if (!targets.has(file)) continue;
    const circle = [...targets].filter((other) => reached.get(other)?.has(file)).sort();
    if (circle.length > 1) circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

/** All files that a file imports, directly or through other files. */
function reachedFrom(start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const { target } of importsOf(file)) {
      if (target === undefined || reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
