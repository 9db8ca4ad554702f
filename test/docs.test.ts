import 'fake-indexeddb/auto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile as compileSvelte } from 'svelte/compiler';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc';
import { docPages, root, writeDocExamples, type DocExample } from './kit/doc-examples.js';

// Every example of the documentation compiles. Those in TypeScript run too: what they log is what their comments say. Those
// that draw are mounted and used by guides.test.ts.

const examples = writeDocExamples('docs', docPages);

describe('the examples of the documentation', () => {
  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  const program = lazy(() => {
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    return ts.createProgram(
      examples.filter(isTypeScript).map(({ file }) => file),
      { ...options, noEmit: true },
    );
  });

  test('compile', () => {
    // Of the examples alone: `npm run types` checks the sources that they import.
    const problems = examples
      .filter(isTypeScript)
      .flatMap(({ file }) => ts.getPreEmitDiagnostics(program(), program().getSourceFile(file)))
      .map(
        ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    expect(problems).toEqual([]);
  }, 240_000);

  test('T5: drop no promise without a void', () => {
    const dropped = examples
      .filter(isTypeScript)
      .flatMap(({ name, file }) =>
        droppedPromises(program(), file).map((expression) => `${name}: ${expression}`),
      );
    expect(dropped).toEqual([]);
  }, 240_000);

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
  for (const example of runnable.filter((one) => !definesTests(one))) {
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

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Promises that no code looks at, as the lint rules `no-floating-promises` and `no-misused-promises` find them. */
function droppedPromises(program: ts.Program, file: string): readonly string[] {
  const checker = program.getTypeChecker();
  const isPromise = (node: ts.Expression) =>
    checker.getTypeAtLocation(node).getProperty('then') !== undefined;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const expression = droppedBy(node, checker);
    if (expression && isPromise(expression)) found.push(expression.getText());
    node.forEachChild(visit);
  };
  visit(program.getSourceFile(file)!);
  return found;
}

/** The expression whose value a statement drops, or a function that is expected to return nothing. */
function droppedBy(node: ts.Node, checker: ts.TypeChecker): ts.Expression | undefined {
  if (ts.isExpressionStatement(node))
    return ts.isAwaitExpression(node.expression) ? undefined : node.expression;
  if (!ts.isArrowFunction(node) || ts.isBlock(node.body)) return undefined;
  const signatures = checker.getContextualType(node)?.getNonNullableType().getCallSignatures() ?? [];
  const returnsNothing = signatures.some(
    (signature) => (signature.getReturnType().flags & ts.TypeFlags.Void) !== 0,
  );
  return returnsNothing ? node.body : undefined;
}

function isTypeScript({ language }: DocExample): boolean {
  return language === 'ts' || language === 'tsx';
}

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

/** The comments behind console.log calls, in order of the file. */
function promised(code: string): readonly string[] {
  return Array.from(code.matchAll(/console\.log\(.*\)\)?;? *\/\/ (.*)$/gm), ([, comment]) => comment!);
}
