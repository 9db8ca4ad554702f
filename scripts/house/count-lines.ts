import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../run-process.mjs';

/** The lines of a source, without empty lines. A line with code and a comment counts as code. */
export interface LineCount {
  readonly code: number;
  readonly comment: number;
}

/** Counts the lines of files. */
export function countLines(files: readonly string[]): LineCount {
  let code = 0;
  let comment = 0;
  for (const file of files) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const withCode = new Set<number>();
    const visit = (node: ts.Node): void => {
      if (node.getChildCount(source) === 0 && node.kind !== ts.SyntaxKind.EndOfFileToken) {
        const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
        const last = source.getLineAndCharacterOfPosition(node.end).line;
        for (let line = first; line <= last; line++) withCode.add(line);
      }
      for (const child of node.getChildren(source)) if (!ts.isJSDoc(child)) visit(child);
    };
    visit(source);
    const filled = text.split('\n').filter((line) => line.trim() !== '').length;
    code += withCode.size;
    comment += filled - withCode.size;
  }
  return { code, comment };
}
