import { Session, type Profiler } from 'node:inspector/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { createAgentSession, immediate } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { root } from '../run-process.mjs';

/** How many deltas are measured: enough to distinguish what runs for each delta from what runs once a turn. */
const DELTAS = 500;

/** The path of a text delta from the provider's event to the published signals. */
export interface DeltaWay {
  /** Files of the session, and of the package below it, with a function that runs for every delta. */
  readonly files: readonly string[];
  /** These functions, by name; each name once. */
  readonly functions: readonly string[];
  /** Our own types in the signatures of these functions. */
  readonly types: readonly string[];
}

/** Counts calls while a session streams text and publishes each delta. */
export async function measureDeltaWay(): Promise<DeltaWay> {
  const text = Array.from({ length: DELTAS }, () => 'x');
  const provider = scriptedProvider([say('First'), say(text)]);
  await using session = createAgentSession({ provider, ports: { scheduler: immediate() } });
  await session.send('Load everything that a turn needs');
  const inspector = new Session();
  inspector.connect();
  try {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.send('Stream');
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    return wayOf(result);
  } finally {
    inspector.disconnect();
  }
}

function wayOf(scripts: readonly Profiler.ScriptCoverage[]): DeltaWay {
  const files: string[] = [];
  const functions: string[] = [];
  const types = new Set<string>();
  for (const { url, functions: ofScript } of scripts) {
    const at = url.search(/packages\/(?:session|provider)\/src\//);
    if (at === -1) continue;
    const perDelta = ofScript.filter(({ ranges }) => (ranges[0]?.count ?? 0) >= DELTAS);
    if (perDelta.length === 0) continue;
    const file = url.slice(at).replace(/\?.*$/, '');
    const names = new Set(perDelta.map(({ functionName }) => functionName).filter((name) => name !== ''));
    files.push(file);
    functions.push(...names);
    for (const type of typesInSignatures(file, names)) types.add(type);
  }
  return { files: files.sort(), functions, types: [...types].sort() };
}

/** The types in the parameters and results of functions with these names, if one of our files declares or imports them. */
function typesInSignatures(file: string, names: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const inType = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && isOurs(source, node.typeName.getText()))
      found.push(node.typeName.getText());
    ts.forEachChild(node, inType);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && node.name !== undefined && names.has(node.name.getText())) {
      for (const part of [...node.parameters.map(({ type }) => type), node.type]) if (part) inType(part);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether a file declares the type, or imports it from a file beside it, or from the package below. */
function isOurs(source: ts.SourceFile, name: string): boolean {
  return source.statements.some((statement) => {
    if (ts.isImportDeclaration(statement)) {
      const { moduleSpecifier, importClause } = statement;
      const isPath =
        ts.isStringLiteral(moduleSpecifier) && /^(?:\.|@banister\/provider)/.test(moduleSpecifier.text);
      const bindings = importClause?.namedBindings;
      const imported = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
      return isPath && imported.some((element) => element.name.text === name);
    }
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    return (isType || ts.isClassDeclaration(statement)) && statement.name?.text === name;
  });
}
