// The sizes that the pages name are the sizes that the limits hold.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../scripts/run-process.mjs';

const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** The limit of a page, in kB. */
function limitOf(name: string): number {
  const limits = JSON.parse(textOf('.size-limit.json')) as readonly { name: string; limit: string }[];
  return Number.parseFloat(limits.find((one) => one.name === name)!.limit);
}

const limits = {
  first: limitOf('a page with @banister/react'),
  byEsbuild: limitOf('a page with @banister/react, bundled by esbuild'),
  background: limitOf('the code of sessions, fetched in the background'),
};

/** Expects sizes, in kB, that are not above their limits, and below them by 0.2 at most. */
function expectHeld(sizes: readonly (string | undefined)[], held: readonly number[]): void {
  expect(sizes).toHaveLength(held.length);
  sizes.forEach((size, index) => {
    expect(Number(size)).toBeLessThanOrEqual(held[index]!);
    expect(Number(size)).toBeGreaterThan(held[index]! - 0.2);
  });
}

test('README names what a page loads at first and in the background in one sentence, and the limits hold both', () => {
  const sentence = /loads ([\d.]+) kB at first and ([\d.]+) kB in the background/.exec(textOf('README.md'));
  expectHeld(sentence?.slice(1) ?? [], [limits.first, limits.background]);
});

test('the table of sizes names what the limits hold', () => {
  const page = textOf('docs/in-your-app.md');
  const first = /with one binding, bundled by Vite; by esbuild \| ([\d.]+); ([\d.]+) \|/.exec(page);
  expectHeld(first?.slice(1) ?? [], [limits.first, limits.byEsbuild]);
  const background = /the rest of the session: [^|]+\| ([\d.]+) \|/.exec(page);
  expectHeld(background?.slice(1) ?? [], [limits.background]);
});
