import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../run-process.mjs';

/** A function, method, accessor or constructor with a body. */
export interface FunctionLength {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** The line of its first token, without its comment; 1-based. */
  readonly line: number;
  /** The number of lines from its first token to its last token. */
  readonly lines: number;
}

/** The functions of a source, including functions inside other functions. */
export function functionsOf(file: string): readonly FunctionLength[] {
  if (!/\.tsx?$/.test(file)) return [];
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: FunctionLength[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      const last = source.getLineAndCharacterOfPosition(node.end).line + 1;
      found.push({ name: nameOf(node), file, line: first, lines: last - first + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The name of the function, or of the variable, property or call that holds it. */
function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return `${node.parent.name?.text ?? 'class'}.constructor`;
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  return ts.isCallExpression(parent)
    ? `argument of ${parent.expression.getText().slice(0, 40)}`
    : 'a function';
}
