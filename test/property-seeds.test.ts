import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const tests = ['packages', 'apps', 'test', 'scripts'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules') && /\.test\.tsx?$/.test(name))
    .map((name) => path.join(folder, name)),
);

/** Properties of a file, and those whose cases are the same in every run. */
function propertiesOf(file: string): { all: number; seeded: number } {
  const code = readFileSync(path.join(root, file), 'utf8');
  const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0;
  return { all: count(/\b(?:fc|fastCheck)\.(?:assert|check)\(/g), seeded: count(/\bpropertyRun\(/g) };
}

test('every property has its seed from propertyRun, and prints it', () => {
  const found = tests.map((file) => ({ file, ...propertiesOf(file) })).filter(({ all }) => all > 0);
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(({ all, seeded }) => seeded < all)).toEqual([]);
});
