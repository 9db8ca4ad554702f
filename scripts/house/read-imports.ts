import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../run-process.mjs';

/** An import of a source file, or a type that a file names by `import('...')`. */
export interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
  /** If the specifier is a path: the imported file, from the root. */
  readonly target?: string;
  /** If the specifier is not a path: the specifier. */
  readonly external?: string;
  /** Whether the import is gone after compiling. */
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

/** The sources below a folder as paths from the root, without tests and fixtures of tests. */
export function sourcesOf(folder: string): string[] {
  const directory = path.join(root, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(path.sep).join('/')}`)
    .filter((name) => /\.(tsx?|vue|svelte)$/.test(name) && !/\.(test|test-d|browser\.test)\.tsx?$/.test(name))
    .sort();
}

const parsed = new Map<string, readonly Import[]>();

/** The imports of a source, from the root; each file is parsed once. */
export function importsOf(file: string): readonly Import[] {
  const known = parsed.get(file);
  if (known) return known;
  const text = scriptOf(file, readFileSync(path.join(root, file), 'utf8'));
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: Import[] = [];

  const add = (node: ts.Node, named: ts.Node | undefined, typeOnly: boolean, dynamic: boolean): void => {
    if (!named || !ts.isStringLiteralLike(named)) return;
    const specifier = named.text;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const place = specifier.startsWith('.') ? { target: resolve(file, specifier) } : { external: specifier };
    found.push({ file, line, specifier, typeOnly, dynamic, ...place });
  };

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node, node.moduleSpecifier, isTypeOnly(node.importClause), false);
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly || onlyTypesNamed(node.exportClause), false);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, true, false);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);

  parsed.set(file, found);
  return found;
}

/** The scripts of a Vue or Svelte component, which hold its imports. Line numbers stay the same. */
function scriptOf(file: string, text: string): string {
  if (/\.tsx?$/.test(file)) return text;
  const blank = (markup: string) => markup.replace(/[^\n]/g, ' ');
  return text
    .split(/(<script\b[^>]*>[^]*?<\/script>)/)
    .map((part) =>
      part.startsWith('<script') ? part.replace(/^<script\b[^>]*>|<\/script>$/g, blank) : blank(part),
    )
    .join('');
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false; // `import './x'` runs the file
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  return clause.name === undefined && onlyTypesNamed(clause.namedBindings);
}

function onlyTypesNamed(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): boolean {
  if (!bindings || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return false;
  return bindings.elements.length > 0 && bindings.elements.every((element) => element.isTypeOnly);
}

/** Sources name a file as it is after compiling (`./turn.js`) or as it is now (`./turn.ts`). */
function resolve(file: string, specifier: string): string {
  const plain = path.posix.join(path.posix.dirname(file), specifier);
  const stem = plain.replace(/\.jsx?$/, '');
  const candidates = [plain, `${stem}.ts`, `${stem}.tsx`, `${plain}/index.ts`, `${plain}/index.tsx`];
  return candidates.find((candidate) => sourceExists(candidate)) ?? plain;
}

/** Whether the path names a source of this repository. */
export function sourceExists(file: string): boolean {
  return /\.(tsx?|vue|svelte)$/.test(file) && existsSync(path.join(root, file));
}
