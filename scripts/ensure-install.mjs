// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runNpm } from './run-process.mjs';

const oldestNode = [20, 19];

/**
 * Installs the dependencies if they are missing or differ from package-lock.json; otherwise does nothing. If that fails, throws an error
 * of one clear line.
 */
export async function ensureInstall() {
  checkNode();
  const reason = whyInstall();
  if (reason === null) return;
  console.error(`Installing dependencies (${reason}) …`);
  // A test or a build started by `npm run` from a production environment still needs the development tools.
  // Only errors: with Node 20, npm warns about two packages that tests use, and there is nothing to do about it.
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  const code = await runNpm(['ci', '--include=dev', ...quietly], { stdout: 'stderr' });
  if (code !== 0) throw new Error(`npm ci failed with exit code ${code}; what it printed above says why.`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(`Banister needs Node ${oldestNode.join('.')} or newer; this is ${process.versions.node}.`);
}

/**
 * Compares the lock that npm wrote into the installed tree with the lock of the repository. It compares the content, not the dates: a
 * fresh checkout, a copy or a restored cache may give files any date.
 *
 * @returns {string | null}
 */
function whyInstall() {
  const installedLock = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedLock)) return 'none are installed';
  const wanted = readPackages(path.join(root, 'package-lock.json'));
  const installed = readPackages(installedLock);
  for (const [location, entry] of Object.entries(wanted)) {
    if (!location.includes('node_modules/')) continue;
    const found = installed[location];
    // The lock contains binaries for other platforms, which are correctly not installed.
    if (!found && (entry.optional || entry.devOptional || entry.peer)) continue;
    if (!found || found.version !== entry.version || found.integrity !== entry.integrity) {
      return `${location.replace(/^.*node_modules\//, '')} is not as in package-lock.json`;
    }
  }
  return null;
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }>}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureInstall();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
