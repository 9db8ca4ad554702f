import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const script = fileURLToPath(new URL('../inputs/print-loading-time.mjs', import.meta.url));

/** W8: the time in which a Node process loads the side, until a turn can run. */
export async function startProcess(create) {
  const { stdout } = await promisify(execFile)(process.execPath, [script, create().specifier]);
  return { loading: Number(stdout) };
}
