// @ts-check
// Writes docs/files.md: each source of the packages, with what its documentation says first. `node scripts/file-index.mjs` after a change;
// `test/reference.test.ts` compares.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { packages } from './packages.mjs';
import { firstSentence } from './reference.mjs';
import { root } from './run-process.mjs';

/** The page with the index. */
export const filesPage = path.join(root, 'docs', 'files.md');

/** Returns the text of the page. */
export function fileIndex() {
  const parts = packages.map((name) => `## ${name}\n\n${foldersOf(`packages/${name}/src`).join('\n')}`);
  return `# Files

Each source of the packages, with the first sentence that it says of its main export. Written by \`scripts/file-index.mjs\` from the sources;
[Architecture](../ARCHITECTURE.md) is the map.

${parts.join('\n')}`;
}

/** @param {string} source the folder of a package's sources */
function foldersOf(source) {
  /** @type {Map<string, string[]>} */
  const folders = new Map();
  for (const file of filesOf(source)) {
    const folder = path.posix.dirname(file);
    const line = `- \`${path.posix.basename(file)}\`${meaningOf(`${source}/${file}`)}`;
    folders.set(folder, [...(folders.get(folder) ?? []), line]);
  }
  return [...folders]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, lines]) => `${folder === '.' ? '' : `### ${folder}/\n\n`}${lines.join('\n')}\n`);
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$|\.d\.ts$|(^|\/)index\.ts$/.test(file))
    .sort();
}

/**
 * The documentation of the export that the file is named after, or else of the first one.
 *
 * @param {string} file
 */
function meaningOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const documented = source.statements.filter(isExported).flatMap((statement) => {
    const [doc] = ts.getJSDocCommentsAndTags(statement);
    const said = doc && firstSentence(ts.getTextOfJSDocComment(doc.comment) ?? '');
    return said ? [{ said, names: namesOf(statement) }] : [];
  });
  const wanted = path.posix.basename(file, path.posix.extname(file)).replaceAll('-', '').toLowerCase();
  const main = documented.find(({ names }) => names.some((name) => name.toLowerCase() === wanted));
  const { said } = main ?? documented[0] ?? {};
  return said ? `: ${said.replaceAll('<', '\\<')}` : '';
}

/** @param {ts.Statement} statement */
function isExported(statement) {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

/**
 * @param {ts.Statement} statement
 * @returns {readonly string[]}
 */
function namesOf(statement) {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = /** @type {ts.DeclarationStatement} */ (statement);
  return name ? [name.getText()] : [];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(filesPage, fileIndex());
