import path from 'node:path';
import ts from 'typescript';
import { root } from './doc-examples.js';

/**
 * Compiles files like the project, with some options changed, and returns the errors in these files. An
 * expected error that does not occur (`@ts-expect-error`) is an error too.
 */
export function typeErrors(
  files: readonly string[],
  changed: ts.CompilerOptions = {},
): ReadonlyMap<string, readonly string[]> {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([...files], { ...options, noEmit: true, ...changed });
  return new Map(
    files.map((file) => {
      const source = program.getSourceFile(file);
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      return [file, found.map((one) => describe(one, source))];
    }),
  );
}

function describe({ messageText, start = 0 }: ts.Diagnostic, source: ts.SourceFile | undefined): string {
  const line = source === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line + 1;
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}
