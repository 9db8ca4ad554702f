import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compile as compileSvelte } from 'svelte/compiler';
import ts from 'typescript';
import { describe, expect, test, vi } from 'vitest';
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc';

// Every example of the documentation compiles. Those in TypeScript run too: what they log is what their comments say.

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = path.join(root, '.cache', 'docs');

interface Example {
  readonly name: string;
  readonly language: 'ts' | 'tsx' | 'vue' | 'svelte';
  readonly code: string;
}

const pages = [
  'README.md',
  ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`),
  ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];
const examples = pages.flatMap(examplesOf);

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
for (const example of examples) writeFileSync(fileOf(example), example.code);

describe('the examples of the documentation', () => {
  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  test('compile', () => {
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    const program = ts.createProgram(examples.filter(isTypeScript).map(fileOf), { ...options, noEmit: true });
    const problems = ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    expect(problems).toEqual([]);
  }, 60_000);

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
      await import(/* @vite-ignore */ pathToFileURL(fileOf(example)).href);
    });
  }
  for (const example of runnable.filter((one) => !definesTests(one))) {
    test(`${example.name} logs what it says`, async () => {
      const logged: string[] = [];
      const log = vi.spyOn(console, 'log').mockImplementation((...values: unknown[]) => {
        logged.push(values.join(' '));
      });
      try {
        await import(/* @vite-ignore */ pathToFileURL(fileOf(example)).href);
        await vi.waitFor(() => expect(logged).toEqual(promised(example.code)), { timeout: 2_000 });
      } finally {
        log.mockRestore();
      }
    });
  }
});

function examplesOf(page: string): readonly Example[] {
  let text: string;
  try {
    text = readFileSync(path.join(root, page), 'utf8');
  } catch {
    return [];
  }
  return Array.from(
    text.matchAll(/^```(tsx?|vue|svelte)\n([\s\S]*?)^```$/gm),
    ([, language, code], index) => ({
      name: `${page} #${index + 1}`,
      language: language as Example['language'],
      code: code!,
    }),
  );
}

function isTypeScript({ language }: Example): boolean {
  return language === 'ts' || language === 'tsx';
}

function definesTests({ code }: Example): boolean {
  return code.includes("from 'vitest'");
}

function fileOf({ name, language }: Example): string {
  return path.join(scratch, `${name.replace(/[^a-zA-Z0-9]+/g, '-')}.${language}`);
}

/** The comments behind console.log calls, in order of the file. */
function promised(code: string): readonly string[] {
  return Array.from(code.matchAll(/console\.log\(.*\)\)?;? *\/\/ (.*)$/gm), ([, comment]) => comment!);
}
