import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Calls that replace modules, timers or globals, and a database in memory: they would reach the files after this one in the same worker. */
const changesItsWorker =
  /\bvi\.(?:mock|doMock|resetModules|hoisted|useFakeTimers|stubGlobal)\b|'fake-indexeddb\/auto'|'\.\/(?:each-log|changed-rows)\.js'/;

const isTest = /(?<!\.browser)\.test\.tsx?$/;

/** The test files below these folders that need a worker of their own, by what they say. */
export function inOwnWorker(folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
    )
    .filter((file) => isTest.test(file) && !file.includes('node_modules'))
    .filter((file) => changesItsWorker.test(readFileSync(file, 'utf8')))
    .sort();
}
