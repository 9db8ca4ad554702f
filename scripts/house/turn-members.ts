import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../run-process.mjs';

/** The members of a turn's context that one function of the pipeline takes. */
export interface StageMembers {
  readonly file: string;
  readonly name: string;
  /** Members that it reads or writes itself. */
  readonly members: readonly string[];
}

/** The functions of a file with a parameter `turn`, and the members of the context that each uses. */
export function stagesOf(file: string): readonly StageMembers[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const stages: StageMembers[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name !== undefined && node.body !== undefined) {
      const parameter = node.parameters.find(isTurn);
      if (parameter !== undefined) {
        stages.push({ file, name: node.name.text, members: membersOf(parameter, node.body) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return stages;
}

/** `turn: Turn`, `turn: Pick<Turn, 'sink'>`, `{ sink }: Turn`. */
function isTurn({ name, type }: ts.ParameterDeclaration): boolean {
  return name.getText() === 'turn' || (type !== undefined && /\bTurn\b/.test(type.getText()));
}

function membersOf(parameter: ts.ParameterDeclaration, body: ts.Node): readonly string[] {
  const members = new Set(bound(parameter.name));
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && node.expression.getText() === 'turn')
      members.add(node.name.text);
    if (ts.isVariableDeclaration(node) && node.initializer?.getText() === 'turn') {
      for (const name of bound(node.name)) members.add(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  return [...members].sort();
}

/** The members that a destructuring pattern takes. */
function bound(name: ts.BindingName): readonly string[] {
  if (!ts.isObjectBindingPattern(name)) return [];
  return name.elements.map((element) => (element.propertyName ?? element.name).getText());
}
