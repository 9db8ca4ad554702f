import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../run-process.mjs';

/**
 * The mutable fields of the classes in a source: fields that can be assigned after the constructor (constructor parameters included), and
 * fields that hold a map, a set or a list from the start.
 */
export function mutableFieldsOf(file: string): readonly string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyDeclaration(node) && (!isReadonly(node) || isCollection(node.initializer)))
      found.push(node.name.getText());
    if (ts.isParameterPropertyDeclaration(node, node.parent) && !isReadonly(node))
      found.push(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isCollection(value: ts.Expression | undefined): boolean {
  return value !== undefined && /^(?:new (?:Weak)?(?:Map|Set)\b|\[)/.test(value.getText());
}

function isReadonly(node: ts.HasModifiers): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;
}
