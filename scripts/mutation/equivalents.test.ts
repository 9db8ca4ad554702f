import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sourcesOf } from '../house/read-imports.js';
import { root } from '../run-process.mjs';
import { equivalents, isSame, nameOf } from './equivalents.js';
import { mutantsOf } from './mutants.js';

test('each equivalent is a mutant of the sources', () => {
  const names = new Set(equivalents.map(({ file }) => file));
  const sources = ['session', 'provider', 'schema', 'stores'].flatMap((name) =>
    sourcesOf(`packages/${name}/src`),
  );
  const files = sources.filter((file) => names.has(nameOf(file)));
  const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(path.join(root, file), 'utf8')));
  const stale = equivalents.filter((equivalent) => !mutants.some((mutant) => isSame(equivalent, mutant)));
  expect(stale).toEqual([]);
});
