import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BrowserCommand } from 'vitest/node';
import { compileScript, parse } from 'vue/compiler-sfc';
import { root, writeDocExamples } from './doc-examples.js';

/** An example of a page as a browser imports it. */
export interface DocView {
  readonly language: 'ts' | 'tsx' | 'vue' | 'svelte';
  readonly code: string;
  /** The address of its module on the server of the tests. */
  readonly module: string;
}

/** A command for tests that run in a browser: writes the examples of a page of the documentation where the browser can import them. */
export const docViews: BrowserCommand<[page: string]> = ({ testPath = '' }, page): readonly DocView[] =>
  // Test files run side by side, each with a folder of its own.
  writeDocExamples(`views-${path.basename(page, '.md')}-${path.basename(testPath, '.browser.test.ts')}`, [
    page,
  ]).map(({ language, code, file, name }) => {
    const module = language === 'vue' ? `${file}.ts` : file;
    if (language === 'vue') {
      const { descriptor } = parse(code);
      writeFileSync(module, compileScript(descriptor, { id: name, inlineTemplate: true }).content);
    }
    return { language, code, module: `/${path.relative(root, module).split(path.sep).join('/')}` };
  });

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** The examples of a page of the documentation, as modules that a browser can import. */
    docViews(page: string): Promise<readonly DocView[]>;
  }
}
