import ts from 'typescript';

/** A small change of a source that a test should notice. */
export interface Mutant {
  /** From the root of the repository. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The text of that line. */
  readonly lineText: string;
  /** The named function that it is in; empty outside of functions. */
  readonly inside: string;
  /** The position of the body of the innermost function that it is in; null outside of functions. */
  readonly body: number | null;
  readonly start: number;
  readonly end: number;
  /** The text that is replaced, and what replaces it. */
  readonly from: string;
  readonly to: string;
}

/** A replacement of the text of a node. */
interface Change {
  readonly node: ts.Node;
  readonly to: string;
}

const swaps: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
]);

/**
 * All mutants of a source: conditions negated, operators swapped, fallbacks dropped, statements and early exits removed, numbers increased or
 * decreased by one, booleans flipped. Strings and types are not changed.
 *
 * @param file its path, for the mutants
 * @param text its source
 */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || isTypeDeclaration(node)) return;
    for (const { node: changed, to } of changesOf(node)) {
      const start = changed.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const from = text.slice(start, changed.end);
      const lineText = lines[line - 1] ?? '';
      const [inside, body] = [enclosing(node), bodyAround(node)];
      mutants.push({ file, line, lineText, inside, body, start, end: changed.end, from, to });
    }
    if (!isNegative(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

/** Returns the source with calls of `globalThis.entered`, which get the file and the position of each function body that starts to run. */
export function traced(file: string, text: string): string {
  const inserts: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const body = bodyOf(node);
    if (body === null) return;
    const start = body.getStart();
    const call = `globalThis.entered(${JSON.stringify(bodyName(file, start))})`;
    if (ts.isBlock(body)) inserts.push({ at: start + 1, text: `${call};` });
    else inserts.push({ at: start, text: `(${call}, ` }, { at: body.end, text: ')' });
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return inserts
    .toSorted((one, other) => other.at - one.at)
    .reduce((code, { at, text: inserted }) => code.slice(0, at) + inserted + code.slice(at), text);
}

/** The name of a function's body in the report of `traced`. */
export function bodyName(file: string, position: number): string {
  return `${file}:${position}`;
}

/** The source with the mutant in it. */
export function mutated(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end);
}

function bodyOf(node: ts.Node): ts.ConciseBody | null {
  return ts.isFunctionLike(node) && 'body' in node
    ? ((node.body as ts.ConciseBody | undefined) ?? null)
    : null;
}

function bodyAround(node: ts.Node): number | null {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    if (at.parent !== undefined && bodyOf(at.parent) === at) return at.getStart();
  }
  return null;
}

function isTypeDeclaration(node: ts.Node): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}

function changesOf(node: ts.Node): readonly Change[] {
  if (ts.isIfStatement(node)) return conditionChanges(node.expression, node.thenStatement);
  if (ts.isConditionalExpression(node)) return conditionChanges(node.condition, null);
  if (ts.isBinaryExpression(node)) return operatorChanges(node);
  if (ts.isExpressionStatement(node)) return [{ node, to: ';' }];
  if (ts.isNumericLiteral(node)) return numberChanges(node, Number(node.text));
  if (isNegative(node)) return numberChanges(node, -Number(node.operand.text));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ node, to: 'false' }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ node, to: 'true' }];
  return [];
}

/** Negates the condition. If the branch leaves the function or the loop, the condition is also replaced by false. */
function conditionChanges(condition: ts.Expression, branch: ts.Statement | null): readonly Change[] {
  const negated = { node: condition, to: `!(${condition.getText()})` };
  return branch !== null && leaves(branch) ? [negated, { node: condition, to: 'false' }] : [negated];
}

function leaves(statement: ts.Statement): boolean {
  if (ts.isBlock(statement)) return statement.statements.some(leaves);
  return (
    ts.isReturnStatement(statement) ||
    ts.isThrowStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
}

function operatorChanges({ left, operatorToken, right }: ts.BinaryExpression): readonly Change[] {
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return [{ node: operatorToken.parent, to: left.getText() }];
  }
  const swapped = swaps.get(operatorToken.kind);
  // A sum with a string joins strings, so it is not arithmetic.
  const joins = operatorToken.kind === ts.SyntaxKind.PlusToken && [left, right].some(isText);
  return swapped === undefined || joins ? [] : [{ node: operatorToken, to: swapped }];
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function isNegative(
  node: ts.Node,
): node is ts.PrefixUnaryExpression & { readonly operand: ts.NumericLiteral } {
  return (
    ts.isPrefixUnaryExpression(node) &&
    node.operator === ts.SyntaxKind.MinusToken &&
    ts.isNumericLiteral(node.operand)
  );
}

function numberChanges(node: ts.Expression, value: number): readonly Change[] {
  if (!Number.isInteger(value)) return [];
  return [
    { node, to: numberText(value + 1) },
    { node, to: numberText(value - 1) },
  ];
}

function numberText(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}

function enclosing(node: ts.Node): string {
  for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return 'constructor';
    if (ts.isFunctionLike(at) && at.name !== undefined) return at.name.getText();
    if (
      ts.isVariableDeclaration(at) &&
      ts.isIdentifier(at.name) &&
      ts.isSourceFile(at.parent.parent.parent)
    ) {
      return at.name.text;
    }
  }
  return '';
}
