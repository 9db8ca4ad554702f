import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '../..');

/** A fenced block of a page of the documentation, in a language that is compiled. */
export interface DocExample {
  /** `docs/react.md #2` */
  readonly name: string;
  readonly page: string;
  readonly language: 'ts' | 'tsx' | 'vue' | 'svelte';
  readonly code: string;
  /** Where it is written to be compiled and run. */
  readonly file: string;
}

/** Every page that may hold examples, as paths from the root. */
export const docPages: readonly string[] = [
  'README.md',
  ...namesIn('docs').map((name) => `docs/${name}`),
  ...namesIn('packages').map((name) => `packages/${name}/README.md`),
];

/**
 * Writes the examples of pages to a folder of its own, where they can be imported.
 *
 * @param folder its name; each test file has another, since they run side by side
 */
export function writeDocExamples(folder: string, pages: readonly string[]): readonly DocExample[] {
  const scratch = path.join(root, '.cache', folder);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const examples = pages
    .flatMap((page) => examplesOf(page, scratch))
    .filter(({ code }) => !ofProject.test(code));
  for (const { file, code } of examples) writeFileSync(file, code);
  return examples;
}

/** The first line of a block that is a file of a project: the test of its page builds the project. */
const ofProject = /^\/\/ (src\/[\w./-]+)\n/;

/**
 * Writes the files of the project that a page builds to a folder of its own. Returns their paths, by their names.
 *
 * @param folder the name of the folder
 */
export function writeDocProject(folder: string, page: string): ReadonlyMap<string, string> {
  const scratch = path.join(root, '.cache', folder);
  rmSync(scratch, { recursive: true, force: true });
  const files = new Map<string, string>();
  for (const { code } of examplesOf(page, scratch)) {
    const name = ofProject.exec(code)?.[1];
    if (name === undefined) continue;
    const file = path.join(scratch, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, code);
    files.set(name, file);
  }
  return files;
}

function examplesOf(page: string, scratch: string): readonly DocExample[] {
  return Array.from(
    readText(page).matchAll(/^```(tsx?|vue|svelte)\n([\s\S]*?)^```$/gm),
    ([, language, code = ''], index) => {
      const name = `${page} #${index + 1}`;
      // By its name Svelte knows a module with runes.
      const ending = language === 'ts' && code.includes('$state(') ? 'svelte.ts' : language;
      const file = path.join(scratch, `${name.replace(/[^a-zA-Z0-9]+/g, '-')}.${ending}`);
      return { name, page, language: language as DocExample['language'], code, file };
    },
  );
}

function readText(page: string): string {
  try {
    return readFileSync(path.join(root, page), 'utf8');
  } catch {
    return ''; // a package without a README, a folder in docs
  }
}

function namesIn(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder));
}
