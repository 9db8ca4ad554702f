// Runs the suites of the adapter again with the next major version of the official client.
import path from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import { root } from '../../../test/kit/doc-examples.js';
import { typeErrors } from '../../../test/kit/type-check.js';

vi.mock('openai', () => import('openai-7'));

test('these suites run on version 7 of the official client, and all others on version 6', async () => {
  expect((await import('openai')).OpenAI).toBe((await import('openai-7')).OpenAI);
  expect((await import('openai-7/version')).VERSION).toMatch(/^7\./);
  expect((await import('openai/version')).VERSION).toMatch(/^6\./);
});

test.runIf(inject('tier') === 'full')(
  'the types of the adapter hold on version 7 of the official client',
  () => {
    const entry = path.join(root, 'packages/openai/src');
    const files = ['connect', 'model-api', 'openai-options', 'stream-answer', 'responses/to-input'].map(
      (name) => path.join(entry, `${name}.ts`),
    );
    const app = path.join(root, 'test/types/openai-client.ts');
    const inVersion7 = (name: string) => [path.join(root, 'node_modules/openai-7', name)];
    const paths = { openai: inVersion7('index.d.mts'), 'openai/*': inVersion7('*.d.mts') };
    const errors = typeErrors([...files, app], { paths });
    expect(Object.fromEntries(errors)).toEqual(Object.fromEntries([...files, app].map((file) => [file, []])));
  },
);

await import('./conformance.test.js');
await import('./responses-conformance.test.js');
await import('./session-over-socket.test.js');
await import('./responses-over-socket.test.js');
await import('./to-error.test.js');
await import('./options.test.js');
