// Styles that name the left or the right side would not adapt in a right-to-left page.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('.', import.meta.url);
const styles = readdirSync(folder).filter((file) => file.endsWith('.css'));
const SIDE = /^\s+(?:(?:padding|margin|border)-(?:left|right)|left|right)[\w-]*:|text-align: (?:left|right)/;
const FOUR = /^\s+(?:padding|margin|inset): ([^;]+);/;

/** Returns whether a declaration distinguishes left and right. */
function tellsSides(line: string): boolean {
  const [, right, , left] = FOUR.exec(line)?.[1]?.match(/(?:[^\s()]|\([^()]*\))+/g) ?? [];
  return SIDE.test(line) || (left !== undefined && right !== left);
}

test('audit-V9 no style distinguishes left and right', () => {
  expect(styles.length).toBeGreaterThan(10);
  for (const file of styles) {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    expect(
      lines.filter((line) => tellsSides(line)),
      file,
    ).toEqual([]);
  }
});
