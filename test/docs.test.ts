import 'fake-indexeddb/auto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile as compileSvelte } from 'svelte/compiler';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc';
import { docPages, root, writeDocExamples, type DocExample } from './kit/doc-examples.js';
import { drawnOf } from './kit/sample-size.js';

// Every example of the documentation compiles: docs-types.test.ts checks those in TypeScript. They run too: what they log is what their
// comments say. Those that draw are mounted and used by guides.test.ts.

const examples = writeDocExamples('docs', docPages);

describe('the examples of the documentation', () => {
  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  for (const example of examples.filter(({ language }) => language === 'svelte')) {
    test(`${example.name} compiles`, () => {
      expect(compileSvelte(example.code, { runes: true }).warnings).toEqual([]);
    });
  }
  for (const example of examples.filter(({ language }) => language === 'vue')) {
    test(`${example.name} compiles`, () => {
      const { descriptor, errors } = parse(example.code);
      const { bindings } = compileScript(descriptor, { id: example.name });
      const source = descriptor.template?.content ?? '';
      const template = compileTemplate({
        source,
        filename: example.name,
        id: example.name,
        compilerOptions: { bindingMetadata: bindings },
      });
      expect([...errors, ...template.errors]).toEqual([]);
    });
  }

  const runnable = examples.filter(({ language }) => language === 'ts');
  // Examples of tests are tests.
  for (const example of runnable.filter(definesTests)) {
    describe(example.name, async () => {
      await import(/* @vite-ignore */ pathToFileURL(example.file).href);
    });
  }
  for (const example of drawnOf(
    runnable.filter((one) => !definesTests(one)),
    4,
  )) {
    test(`${example.name} logs what it says`, async () => {
      const logged: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
        logged.push(values.join(' '));
      });
      try {
        await import(/* @vite-ignore */ pathToFileURL(example.file).href);
        await vi.waitFor(() => expect(logged).toEqual(promised(example.code)), 30_000);
      } finally {
        log.mockRestore();
      }
    });
  }
});

function definesTests({ code }: DocExample): boolean {
  return code.includes("from 'vitest'");
}

describe('the pages of the documentation', () => {
  const pages = [...docPages, 'ARCHITECTURE.md', 'CONTRIBUTING.md'].filter((page) => page.endsWith('.md'));

  test.each(pages.filter((page) => existsSync(path.join(root, page))))(
    '%s links to what is there',
    (page) => {
      const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];
      const dead = links.filter(([, target = '', anchor]) => {
        const file = target === '' ? page : path.join(path.dirname(page), target);
        if (!existsSync(path.join(root, file))) return true;
        return anchor !== undefined && !anchorsOf(file).includes(anchor);
      });
      expect(dead.map(([link]) => link)).toEqual([]);
    },
  );
});

describe('the README of @banister/session', () => {
  const readme = readFileSync(path.join(root, 'packages/session/README.md'), 'utf8');
  const sessionFile = (name: string) => path.join(root, 'packages/session/src/session', name);

  test('has a row for each option', () => {
    const options = membersOf(sessionFile('session-options.ts'), 'SessionOptions');
    expect(namesInTable(readme, 'Options')).toEqual(options);
  });

  test('has a row for each method, and marks those of the owner', () => {
    const file = sessionFile('agent-session.ts');
    const signals = ['state', 'operations$', 'link'];
    const ofViews = membersOf(file, 'AgentSession').filter((name) => !signals.includes(name));
    const ofOwner = membersOf(file, 'LocalAgentSession');
    expect(namesInTable(readme, 'Methods')).toEqual([...ofViews, ...ofOwner].toSorted());
    expect(namesInTable(readme, 'Methods', / \* \|/)).toEqual(ofOwner);
  });
});

/** The members of an interface, in alphabetical order. */
function membersOf(file: string, name: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const declaration = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  ) as ts.InterfaceDeclaration;
  return declaration.members.map((member) => member.name!.getText(source)).toSorted();
}

/** The names in the first column of the table below a heading, in alphabetical order. */
function namesInTable(page: string, heading: string, marked = /./): readonly string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows
    .map((row) => row.slice(0, row.indexOf(' |') + 2))
    .filter((cell) => marked.test(cell))
    .flatMap((cell) => [...cell.matchAll(/`([a-zA-Z]+\$?)/g)].map(([, name = '']) => name))
    .toSorted();
}

/** A page without its code. */
function proseOf(page: string): string {
  return readFileSync(path.join(root, page), 'utf8').replace(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '');
}

/** The targets of links into a page: its headings as they are known on the web, and anchors of its own. */
function anchorsOf(page: string): readonly string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

/** Returns the comments after `console.log` calls, in order of the file. */
function promised(code: string): readonly string[] {
  return Array.from(code.matchAll(/console\.log\(.*\)\)?;? *\/\/ (.*)$/gm), ([, comment]) => comment!);
}
