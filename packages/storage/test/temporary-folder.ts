import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let folder: string | null = null;

/** Returns the path of a file in a folder that `removeFiles` removes. */
export function inFolder(file: string): string {
  folder ??= mkdtempSync(path.join(tmpdir(), 'banister-'));
  return path.join(folder, file);
}

/** Removes the files of the logs. Call it in `afterAll` of each test file. */
export function removeFiles(): void {
  if (folder !== null) rmSync(folder, { recursive: true });
  folder = null;
}
