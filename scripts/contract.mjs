// @ts-check
// Writes docs/contract.md: what a session promises, as the titles of the tests. `node scripts/contract.mjs` after a change of a title;
// `test/contract.test.ts` compares. A promise is added by a test, and `contract-sections.mjs` says in which section a file of tests is.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { sections } from './contract-sections.mjs';
import { root } from './run-process.mjs';

/**
 * @typedef {{ title: string, tests: readonly Promised[] }} Promised a test, or a group of tests
 */

/** The page with the promises. */
export const contractPage = path.join(root, 'docs', 'contract.md');

/** The most values that stand in the place of a hole. */
const MOST_VALUES = 8;

/** Returns the text of the page. */
export function contract() {
  const parts = sections.map(({ title, files }, index) => {
    const heading = `## ${index + 2}. ${title}\n`;
    return [heading, ...files.map((file) => chapter(file))].join('\n');
  });
  const suites = suiteFiles().map((file) => `### \`${file}\`\n\n${listOf(factsOf(file), '').join('\n')}\n`);
  parts.push([`## ${sections.length + 2}. The suites for adapters\n`, ...suites].join('\n'));
  return `# The contract of a session

What an \`AgentSession\` and its packages promise. Each line is the title of a test that proves it, below the path of its file.
Written by \`scripts/contract.mjs\` from the tests, without those that are skipped. An ellipsis stands for the values of a table.

## 1. Words

A **session** is a conversation between a user and an agent that acts in the app. A **turn** is one \`send()\`, from the message of the user
to the final answer, and exactly one undo transaction. A **round** is one request to the model and the tool calls that the answer asks for.
An **operation** is one fact about a session, as JSON. A **domain** is a group of tools with an optional revision of their state.
A **guard** decides whether a call may run. An **abort** is the hard level of a cancel.

${parts.join('\n')}`;
}

/** Returns the paths of all files of tests in the packages, the demo and the folder of tests that cover several packages. */
export function testFiles() {
  return ['apps', 'packages', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
      .filter((file) => !file.includes('node_modules/') && /\.(?:test|spec)\.tsx?$/.test(file))
      .sort(),
  );
}

/** Returns the paths of the files with the facts of the conformance suites. */
function suiteFiles() {
  return readdirSync(path.join(root, 'packages/testing/src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `packages/testing/src/${file.split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.ts') && factsOf(file).length > 0)
    .sort();
}

/**
 * Returns the facts that a file of a conformance suite proves: the objects with a `fact` and its description.
 *
 * @param {string} file
 * @returns {readonly Promised[]}
 */
function factsOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  if (!text.includes('description:')) return [];
  /**
   * @param {ts.Node} node
   * @returns {readonly Promised[]}
   */
  const visit = (node) => {
    const isFact = ts.isObjectLiteralExpression(node) && textOf(node, 'fact') !== undefined;
    const title = isFact ? textOf(node, 'description') : undefined;
    return title === undefined ? childrenOf(node).flatMap(visit) : [{ title, tests: [] }];
  };
  return visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

/**
 * @param {ts.ObjectLiteralExpression} object
 * @param {string} name
 */
function textOf(object, name) {
  const property = object.properties.find(
    (one) => ts.isPropertyAssignment(one) && ts.isIdentifier(one.name) && one.name.text === name,
  );
  const value = property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
  return value && ts.isStringLiteralLike(value) ? value.text : undefined;
}

/** @param {string} file */
function chapter(file) {
  const promises = promisesOf(file);
  // A file about one thing has its name in the heading.
  const [only] = promises;
  const isOne = promises.length === 1 && only !== undefined && only.tests.length > 0;
  const lines = isOne ? listOf(only.tests, '') : listOf(promises, '');
  return `### \`${file}\`${isOne ? `: ${escaped(only.title)}` : ''}\n\n${lines.join('\n')}\n`;
}

/**
 * @param {readonly Promised[]} promises
 * @param {string} indent
 * @returns {readonly string[]}
 */
function listOf(promises, indent) {
  return promises.flatMap(({ title, tests }) => [
    `${indent}- ${escaped(title)}`,
    ...listOf(tests, `${indent}  `),
  ]);
}

/** @param {string} title */
function escaped(title) {
  return title
    .replaceAll(/\s+/g, ' ')
    .replaceAll(
      /\p{Cc}|\p{Cf}|\p{Cs}/gu,
      (sign) => `U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
    )
    .replaceAll('<', '\\<');
}

/**
 * Returns the groups and tests of a file, without those that are skipped.
 *
 * @param {string} file
 */
export function promisesOf(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return promisesIn(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

/**
 * @param {ts.SourceFile} source
 * @returns {readonly Promised[]}
 */
function promisesIn(source) {
  /** @type {Map<string, ts.Expression>} */
  const constants = new Map();
  /**
   * @param {ts.Node} node
   * @returns {readonly Promised[]}
   */
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    const suite = ts.isCallExpression(node) && suiteName.exec(node.expression.getText())?.[0];
    if (suite) return [{ title: `all tests of the suite \`${suite}\``, tests: [] }];
    const call = ts.isCallExpression(node) ? titledCall(node) : undefined;
    if (!call) return childrenOf(node).flatMap(visit);
    if (call.isSkipped) return [];
    const tests = call.isGroup ? call.rest.flatMap(visit) : [];
    if (call.isGroup && tests.length === 0) return [];
    return titles(call, constants).map((title) => ({ title, tests }));
  };
  return visit(source);
}

/** A function that defines the tests of a suite for what it gets. */
const suiteName = /^(?:\w+Conformance|describe[A-Z]\w+)$/;

/** @param {ts.Node} node */
function childrenOf(node) {
  /** @type {ts.Node[]} */
  const children = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

/**
 * @typedef {object} TitledCall
 * @property {ts.Expression} title
 * @property {readonly ts.Expression[]} rest
 * @property {ts.Expression | undefined} table of `test.each(table)`
 * @property {boolean} isGroup
 * @property {boolean} isSkipped
 */

/**
 * Returns the parts of a call like `test('title', …)` or `describe.each(table)('title', …)`.
 *
 * @param {ts.CallExpression} node
 * @returns {TitledCall | undefined}
 */
function titledCall({ expression, arguments: [title, ...rest] }) {
  const name = /^(test|it|describe|test\.describe)\b/.exec(expression.getText())?.[1];
  const isTitle = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title));
  if (name === undefined || !isTitle) return undefined;
  const modifiers = expression.getText().slice(name.length);
  if (/^\.(?:use|extend|step|info|beforeEach|afterEach|beforeAll|afterAll|setTimeout|slow)\b/.test(modifiers))
    return undefined;
  const table = ts.isCallExpression(expression) ? expression.arguments[0] : undefined;
  const isTable = ts.isCallExpression(expression) && /\.(?:each|for)\(/.test(modifiers);
  return {
    title,
    rest,
    table: isTable ? table : undefined,
    isGroup: name.endsWith('describe') || modifiers.startsWith('.describe'),
    isSkipped: /^\.(?:\w+\.)*(?:skip|todo|fixme|fails)\b/.test(modifiers),
  };
}

/**
 * Returns the title of a call; of a short table the title of each row.
 *
 * @param {TitledCall} call
 * @param {ReadonlyMap<string, ts.Expression>} constants
 * @returns {readonly string[]}
 */
function titles({ title, table }, constants) {
  const text = ts.isTemplateExpression(title)
    ? [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join('…')
    : /** @type {ts.StringLiteralLike} */ (title).text;
  const given = table && ts.isIdentifier(table) ? constants.get(table.text) : table;
  const list = given && ts.isAsExpression(given) ? given.expression : given;
  const rows = list && ts.isArrayLiteralExpression(list) ? list.elements : [];
  const all = [...new Set(rows.map((row) => filledIn(text, row)))];
  const isFull = all.length > 0 && !all.some((one) => hole.test(one));
  // A title that the table holds is a sentence of its own.
  const isSentence = hole.test(text) && text.replace(hole, '').length < 8;
  if (isSentence) return isFull ? all : ['each case of its table'];
  const [before = '', behind = '', ...more] = text.split(hole);
  const values = all.map((one) => one.slice(before.length, one.length - behind.length));
  const isListed = isFull && more.length === 0 && values.length <= MOST_VALUES;
  return [isListed ? `${before}${values.join(' / ')}${behind}` : text.replaceAll(new RegExp(hole, 'g'), '…')];
}

/** What stands in a title for a value of the row: `%s`, `$name`. */
const hole = /%[sdifjo]|\$[a-zA-Z][\w.]*/;

/**
 * Puts the values of a row into a title. A value that is no literal leaves its hole.
 *
 * @param {string} text
 * @param {ts.Expression} row
 */
function filledIn(text, row) {
  if (ts.isObjectLiteralExpression(row)) {
    return row.properties.reduce((title, property) => {
      if (!ts.isPropertyAssignment(property) || !ts.isIdentifier(property.name)) return title;
      const value = valueOf(property.initializer);
      return value === undefined
        ? title
        : title.replaceAll(new RegExp(`\\$${property.name.text}\\b`, 'g'), () => value);
    }, text);
  }
  const cells = ts.isArrayLiteralExpression(row) ? row.elements : [row];
  let column = 0;
  return text.replaceAll(/%[sdifjo]/g, (sign) => {
    const cell = cells[column++];
    return (cell && valueOf(cell)) ?? sign;
  });
}

/** @param {ts.Expression} value */
function valueOf(value) {
  if (ts.isStringLiteralLike(value) || ts.isNumericLiteral(value)) return value.text;
  if (value.kind === ts.SyntaxKind.TrueKeyword || value.kind === ts.SyntaxKind.FalseKeyword)
    return value.getText();
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(contractPage, contract());
