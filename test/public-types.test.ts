import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packages } from '../scripts/packages.mjs';
import { root } from './kit/doc-examples.js';
import { typeErrors } from './kit/type-check.js';

// The types that an app sees, in both readings of optional properties. Each file of test/types is about one finding.

const folder = path.join(root, 'test/types');
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join(folder, name));

describe.each([true, false])('exactOptionalPropertyTypes: %s', (exactOptionalPropertyTypes) => {
  let errors: ReturnType<typeof typeErrors>;
  beforeAll(() => {
    errors = typeErrors(files, { exactOptionalPropertyTypes });
  }, 240_000);

  test.each([
    ['T1: a tool may return a value of any type', 't1-results.ts'],
    ['T2: schemas in variables, files and from servers are accepted', 't2-schemas.ts'],
    ['T3: options may be undefined', 't3-options.ts'],
    ['T3: options of providers may be undefined', 't3-provider-options.ts'],
    ['T3: options of every other package may be undefined', 't3-package-options.ts'],
    ['T4: a tool keeps its types, and its calls are read with them', 't4-readers.ts'],
    ['T4: confirmations, checked calls, effects and outputs are read with types', 'typed-readers.ts'],
    ['audit-AD-11 a call has the type of the progress that its tool declares', 'progress.ts'],
    ['the data of an effect have the type that the undo of their tool takes', 'undo-data.ts'],
    ['previews of calls, their questions and their commands', 'previews.ts'],
    ['the obstacles of a branch command are read from the details of an error', 'branch-obstacles.ts'],
    ['an app may make the official client of OpenAI itself', 'openai-client.ts'],
    ['T8: the main entry leaves adapter internals out', 't8-entries.ts'],
    ['T8: the entries of providers leave internals out', 't8-provider-entries.ts'],
  ])('%s', (_title, name) => {
    expect(errors.get(path.join(folder, name))).toEqual([]);
  });
});

test('T3: the options of every entry are among those that may be undefined', () => {
  // Members for an official client, types that providers extend, a part of a record, what has the type of a tool, and what only packages of ours use.
  const others = /^(?:GivenClient|WiredClient|Server|Turn|TypedApprove|Error|Follow)Options$/;
  const exported = packages.flatMap((name) => {
    const home = path.join(root, 'packages', name);
    const manifest = readFileSync(path.join(home, 'package.json'), 'utf8');
    return [...manifest.matchAll(/"@banister\/source": "([^"*]+)"/g)].flatMap(([, entry = '']) =>
      Array.from(readFileSync(path.join(home, entry), 'utf8').matchAll(/\b[A-Z]\w*Options\b/g), String),
    );
  });
  const checked = ['t3-provider-options.ts', 't3-package-options.ts']
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('');
  expect(exported.length).toBeGreaterThan(30);
  expect(exported.filter((name) => !others.test(name) && !checked.includes(`Undefined<${name}>`))).toEqual(
    [],
  );
});

test('the options of a relay have types without those of the DOM', () => {
  const file = path.join(folder, 'relay-in-node.ts');
  const lib = ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'];
  expect(typeErrors([file], { lib, types: ['node'] }).get(file)).toEqual([]);
}, 240_000);
