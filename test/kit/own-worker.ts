import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Calls that replace modules, or a database in memory. They would affect later files in the same worker. */
const changesModules =
  /\bvi\.(?:mock|doMock|resetModules|hoisted)\b|'fake-indexeddb\/auto'|'\.\/(?:each-log|changed-rows)\.js'/;

/** Calls that replace globals or timers, each with the call that brings them back. */
const replacements = [
  [/\bvi\.stubGlobal\b/, /\bvi\.unstubAllGlobals\b/],
  [/\bvi\.useFakeTimers\b/, /\bvi\.useRealTimers\b/],
] as const;

function changesItsWorker(text: string): boolean {
  return (
    changesModules.test(text) ||
    replacements.some(([replaces, restores]) => replaces.test(text) && !restores.test(text))
  );
}

const isTest = /(?<!\.browser)\.test\.tsx?$/;

/** The test files below these folders that need a worker of their own, by what they say. */
export function inOwnWorker(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .filter((file) => isTest.test(file) && !file.includes('node_modules'))
    .filter((file) => changesItsWorker(readFileSync(file, 'utf8')))
    .sort();
}
