import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root, runProcess } from '../run-process.mjs';

// Holds the table of measures in CONTRIBUTING.md to the sources. A figure may be 1 % off, so that only large numbers may be behind.

/** Finds the figures of each row in what the script prints. */
const measures: Readonly<Record<string, RegExp>> = {
  'lines of a function: p50, p90, p99, longest': /p50 (\d+), p90 (\d+), p99 (\d+), longest (\d+)/,
  'import circles, types and dynamic imports included':
    /^Import circles, types and dynamic imports included: (\d+)/m,
  'members that a stage takes of its turn: median, most': /median (\d+), most (\d+)/,
  'mutable fields of the session outside of state and turn: all, most in one room':
    /^Mutable fields outside of state and turn: (\d+), most in one room: (\d+)/m,
  "a delta's way from the provider to the signals": /way: (\d+) files, (\d+) functions, (\d+) types/,
  'lines of code, share of comments': /^Lines: (\d+) of code in (\d+) files, .*\((\d+) %\)/m,
};

const page = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const table = /^\| measure .*\n\|[-| ]+\n((?:\|.*\n)+)/m.exec(page)?.[1] ?? '';
const rows = [...table.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, measure = '', figure = '']) => ({
  measure,
  figures: (figure.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(',', ''))),
}));

let printed = '';
beforeAll(async () => {
  const code = await runProcess(process.execPath, ['scripts/house.mjs'], {
    print: (text) => (printed += text),
  });
  expect(code, printed).toBe(0);
});

test('the table of CONTRIBUTING.md has a row for each measure', () => {
  expect(rows.map(({ measure }) => measure)).toEqual(Object.keys(measures));
});

test.each(rows)('$measure: the table has what is measured', ({ measure, figures }) => {
  const measured = measures[measure]?.exec(printed)?.slice(1).map(Number) ?? [];
  expect(measured, printed).not.toEqual([]);
  const current = measured.map((number, place) => {
    const figure = figures[place] ?? NaN;
    return Math.abs(figure - number) <= number / 100 ? figure : number;
  });
  expect(figures, `write what "npm run house" prints into the row "${measure}" of CONTRIBUTING.md`).toEqual(
    current,
  );
});
