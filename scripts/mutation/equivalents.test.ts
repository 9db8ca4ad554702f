import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../run-process.mjs';
import { equivalents, isSame } from './equivalents.js';
import { mutantsOf } from './mutants.js';

test('each equivalent is a mutant of the sources', () => {
  const files = new Set(equivalents.map(({ file }) => `packages/session/src/${file}`));
  const mutants = [...files].flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')));
  const stale = equivalents.filter((equivalent) => !mutants.some((mutant) => isSame(equivalent, mutant)));
  expect(stale).toEqual([]);
});
