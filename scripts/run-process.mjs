// @ts-check
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Gives each Node process that this process starts 64 MB for young objects instead of V8's 16 MB: the tests and ESLint create so many that
 * a fifth of their time was garbage collection. Options that are already in the environment are kept.
 */
export function allowYoungObjects() {
  const given = process.env['NODE_OPTIONS'] ?? '';
  if (!given.includes('--max-semi-space-size'))
    process.env['NODE_OPTIONS'] = `${given} --max-semi-space-size=64`.trim();
}

/**
 * Runs a program and resolves with its exit code. Its output goes to the console, or to `print`. A program that cannot be
 * started, or that a signal ended, counts as failed.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, stdout?: 'inherit' | 'stderr', print?: (text: string) => void, shell?: boolean }} [options]
 * @returns {Promise<number>}
 */
export function runProcess(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', ...outputOf(options)],
      shell: options.shell ?? false,
    });
    const { print } = options;
    if (print) {
      child.stdout?.setEncoding('utf8').on('data', print);
      child.stderr?.setEncoding('utf8').on('data', print);
    }
    child.once('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(127);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Where standard output and standard error of a program go.
 *
 * @param {NonNullable<Parameters<typeof runProcess>[2]>} options
 * @returns {['pipe' | 'inherit' | 2, 'pipe' | 'inherit']}
 */
function outputOf({ print, stdout }) {
  if (print) return ['pipe', 'pipe'];
  return [stdout === 'stderr' ? 2 : 'inherit', 'inherit'];
}

/**
 * Runs npm: the npm that started this script, if there is one, because that needs no shell on Windows.
 *
 * @param {readonly string[]} args
 * @param {Parameters<typeof runProcess>[2]} [options]
 */
export function runNpm(args, options) {
  const npm = process.env['npm_execpath'];
  if (npm && /npm-cli\.[cm]?js$/.test(npm)) return runProcess(process.execPath, [npm, ...args], options);
  if (process.platform === 'win32') return runProcess('npm.cmd', args, { ...options, shell: true });
  return runProcess('npm', args, options);
}

/**
 * Runs a command line tool of an installed package.
 *
 * @param {string} packageName
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Parameters<typeof runProcess>[2]} [options]
 */
export function runTool(packageName, command, args, options) {
  const directory = path.join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const file = typeof bin === 'string' ? bin : bin[command];
  return runProcess(process.execPath, [path.join(directory, file), ...args], options);
}
