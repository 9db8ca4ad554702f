import path from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { docPages, root, writeDocExamples } from './kit/doc-examples.js';

// The examples of the documentation in TypeScript have their types. docs.test.ts runs them, docs-views.test.ts checks those in Vue and Svelte.

const examples = writeDocExamples('docs-types', docPages).filter(
  ({ language }) => language === 'ts' || language === 'tsx',
);

describe('the examples of the documentation', () => {
  const program = lazy(() => {
    const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    return ts.createProgram(
      examples.map(({ file }) => file),
      { ...options, noEmit: true },
    );
  });

  test('there are some', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  test('every example of the documentation compiles', () => {
    // Of the examples alone: `npm run types` checks the sources that they import.
    const problems = examples
      .flatMap(({ file }) => ts.getPreEmitDiagnostics(program(), program().getSourceFile(file)))
      .map(
        ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    expect(problems).toEqual([]);
  }, 240_000);

  test('T5: drop no promise without a void', () => {
    const dropped = examples.flatMap(({ name, file }) =>
      droppedPromises(program(), file).map((expression) => `${name}: ${expression}`),
    );
    expect(dropped).toEqual([]);
  }, 240_000);
});

function lazy<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** Promises that no code looks at, as the lint rules `no-floating-promises` and `no-misused-promises` find them. */
function droppedPromises(program: ts.Program, file: string): readonly string[] {
  const checker = program.getTypeChecker();
  const isPromise = (node: ts.Expression) =>
    checker.getTypeAtLocation(node).getProperty('then') !== undefined;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const expression = droppedBy(node, checker);
    if (expression && isPromise(expression)) found.push(expression.getText());
    node.forEachChild(visit);
  };
  visit(program.getSourceFile(file)!);
  return found;
}

/** The expression whose value a statement drops, or a function that is expected to return nothing. */
function droppedBy(node: ts.Node, checker: ts.TypeChecker): ts.Expression | undefined {
  if (ts.isExpressionStatement(node))
    return ts.isAwaitExpression(node.expression) ? undefined : node.expression;
  if (!ts.isArrowFunction(node) || ts.isBlock(node.body)) return undefined;
  const signatures = checker.getContextualType(node)?.getNonNullableType().getCallSignatures() ?? [];
  const returnsNothing = signatures.some(
    (signature) => (signature.getReturnType().flags & ts.TypeFlags.Void) !== 0,
  );
  return returnsNothing ? node.body : undefined;
}
