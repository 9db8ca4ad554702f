// @ts-check
// Writes docs/reference.md from the types of the session: the names of fields and methods, each with the first sentence of its
// documentation. `node scripts/reference.mjs` after a change of the types; `test/reference.test.ts` compares.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from './run-process.mjs';

/** The page, and its types in their order. */
export const page = path.join(root, 'docs', 'reference.md');

/** @type {readonly (readonly [string, readonly string[]])[]} */
const sections = [
  ['A session', ['AgentSession', 'LocalAgentSession', 'SessionOptions', 'SendOptions', 'Limits']],
  ['Its state', ['SessionState', 'TurnRecord', 'RoundRecord', 'TurnOutcome', 'UndoReport', 'UndoItem']],
  [
    'The parts of a round, and of messages',
    [
      'ToolCallView',
      'TextPart',
      'ThinkingPart',
      'OpaquePart',
      'SteeringPart',
      'ToolResult',
      'ImagePart',
      'FilePart',
    ],
  ],
  ['Questions', ['ConfirmationRequest', 'ApproveOptions', 'ExtensionRequest']],
  ['Tools', ['Domain', 'Tool', 'ToolContext']],
  [
    'Agents, cancel and undo',
    ['Agent', 'RunResult', 'ChildTurn', 'CancelOptions', 'UndoOptions', 'UndoTurn'],
  ],
  ['A log', ['SessionLog', 'AppendOptions', 'ListQuery', 'ListedSession', 'LogChannel', 'Link']],
  ['Middleware', ['Middleware', 'HookContext', 'ToolAnswer', 'ModelAnswer']],
  ['Errors', ['ErrorData', 'ErrorCode']],
];

/** Returns the text of the page. */
export function reference() {
  const entries = ['session/src/index.ts', 'session/src/entries/log.ts', 'provider/src/index.ts'].map(
    (file) => path.join(root, 'packages', file),
  );
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(entries, { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const exported = new Map(
    entries.flatMap((entry) => {
      const module = checker.getSymbolAtLocation(/** @type {ts.SourceFile} */ (program.getSourceFile(entry)));
      if (!module) throw new Error(`${entry} exports nothing`);
      return checker.getExportsOfModule(module).map((symbol) => /** @type {const} */ ([symbol.name, symbol]));
    }),
  );

  /** @param {string} name */
  const typeOf = (name) => {
    const found = exported.get(name);
    if (!found) throw new Error(`no entry exports ${name}`);
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    return { symbol, type: checker.getDeclaredTypeOfSymbol(symbol) };
  };
  /** @param {ts.Symbol} symbol */
  const said = (symbol) => firstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker)));

  /** @param {ts.Symbol} member */
  const isSignal = (member) =>
    checker.typeToString(checker.getTypeOfSymbol(member)).startsWith('ReadonlySignal<');

  /** @param {string} name */
  const table = (name) => {
    const { symbol, type } = typeOf(name);
    const head = `### ${name}\n\n${said(symbol)}\n\n`;
    if (type.isUnion() && type.types.every((one) => one.isStringLiteral()))
      return `${head}${type.types.map((one) => `\`${/** @type {ts.StringLiteralType} */ (one).value}\``).join(' · ')}\n`;
    // What it has of a type that stands above it is not said again.
    const known = new Set(
      name === 'LocalAgentSession'
        ? typeOf('AgentSession')
            .type.getProperties()
            .map((one) => one.name)
        : [],
    );
    const rows = checker
      .getPropertiesOfType(type)
      .filter(({ name: member }) => !member.startsWith('__') && !known.has(member))
      .map(
        (member) => `| \`${member.name}\` | ${written(member, isSignal(member))} | ${cell(said(member))} |`,
      );
    return `${head}| name | type | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  };

  const index = sections.map(([, names]) =>
    names.map((name) => `[${name}](#${name.toLowerCase()})`).join(' · '),
  );
  const body = sections.map(([title, names]) => `## ${title}\n\n${names.map(table).join('\n')}`);
  return `# Reference

The fields and methods of the types that an app meets most, with the first sentence of what the types say. Written by \`scripts/reference.mjs\` from the
sources; your editor shows the rest. The guides of the other pages say what to do with them.

${index.join('\\\n')}

${body.join('\n')}`;
}

/** @param {string} text */
export function firstSentence(text) {
  const line = text
    .replaceAll(/\{@link ([^}]+?)\s*\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^.*?[.:](?= [A-Z`{]|$)/.exec(line)?.[0].replace(/:$/, '.') ?? line;
}

/**
 * The type as it is written in the source, in short: that of a method is its parameters.
 *
 * @param {ts.Symbol} member
 * @param {boolean} isSignal
 */
function written(member, isSignal) {
  const declaration = member.declarations?.[0];
  if (!declaration) return '';
  /** @type {string} */
  let text = '';
  if (ts.isMethodSignature(declaration))
    text = `(${declaration.parameters.map((one) => one.name.getText() + (one.questionToken ? '?' : '')).join(', ')}) => ${declaration.type?.getText() ?? 'void'}`;
  else if ('type' in declaration && declaration.type)
    text = /** @type {ts.TypeNode} */ (declaration.type).getText();
  if (isSignal && !text.startsWith('ReadonlySignal')) text = `ReadonlySignal<${text}>`;
  const short = text
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/ \| undefined$/, '')
    .trim();
  const optional = member.flags & ts.SymbolFlags.Optional ? ', optional' : '';
  return `\`${cell(short.length > 90 ? `${short.slice(0, 89)}…` : short)}\`${optional}`;
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, reference());
