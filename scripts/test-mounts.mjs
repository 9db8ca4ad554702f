// @ts-check
// Mounts the packed gateway in fresh applications of frameworks, by the code of docs/gateway.md, and asks their servers:
// `npm run test:mounts`. `--only Nitro` takes one of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstall } from './ensure-install.mjs';
import { checkMount, startUpstream } from './mounts/check-mount.mjs';
import { frameworks, gatewayModule } from './mounts/frameworks.mjs';
import { stagePackages } from './release/stage-packages.mjs';
import { runNpm, runProcess, runTool } from './run-process.mjs';

/** The packages that an application with the gateway installs. */
const ours = ['provider', 'wire', 'openai', 'anthropic', 'gateway'];

const { values: given } = parseArgs({ options: { only: { type: 'string' } } });
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'banister-mounts-')));
let failed = 0;

try {
  await ensureInstall();
  must(await runTool('tsdown', 'tsdown', []), 'the build failed');
  const tarballs = await pack();
  const chosen = frameworks.filter(({ name }) => given.only === undefined || given.only === name);
  if (chosen.length === 0)
    throw new Error(`--only is one of ${frameworks.map(({ name }) => name).join(', ')}.`);
  for (const framework of chosen) {
    try {
      await check(framework, tarballs);
    } catch (error) {
      failed++;
      console.error(`✗ ${framework.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
} catch (error) {
  failed++;
  console.error(error instanceof Error ? error.message : error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** @returns {Promise<string[]>} the tarballs */
async function pack() {
  const target = path.join(folder, 'tarballs');
  mkdirSync(target);
  const staged = stagePackages(path.join(folder, 'staged')).filter((place) =>
    ours.includes(path.basename(place)),
  );
  must(await runNpm(['pack', ...staged, '--silent', '--pack-destination', target]), 'npm pack failed');
  return readdirSync(target).map((name) => path.join(target, name));
}

/** @param {import('./mounts/frameworks.mjs').Framework} framework @param {string[]} tarballs */
async function check(framework, tarballs) {
  console.log(`── ${framework.name}`);
  const began = performance.now();
  const project = path.join(folder, framework.name);
  for (const [name, text] of Object.entries({
    'package.json': JSON.stringify({ name: 'mounted', private: true, type: 'module' }),
    'gateway.mjs': gatewayModule,
    ...framework.files,
  })) {
    const file = path.join(project, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  const installed = await runNpm(['install', ...quietly, ...tarballs, ...framework.packages], {
    cwd: project,
  });
  must(installed, 'npm install failed');
  const installs = seconds(began);

  const upstream = await startUpstream();
  const port = await freePort();
  const env = {
    OPENAI_API_KEY: 'sk-mounted',
    OPENAI_BASE_URL: upstream.url,
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
  };
  /** @type {string[]} */
  const printed = [];
  const print = (/** @type {string} */ text) => void printed.push(text);
  try {
    const built = await runProcess(process.execPath, framework.build, { cwd: project, env, print });
    must(built, `the build failed\n${printed.join('')}`);
    const stop = serve(project, framework, env, print);
    try {
      const took = await checkMount(`http://127.0.0.1:${port}${framework.path}`, upstream);
      console.log(
        `  installed in ${installs} s, ${seconds(began)} s in all; the model is closed ${took} ms after its client left`,
      );
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : error}\n${printed.join('')}`, {
        cause: error,
      });
    } finally {
      await stop();
    }
  } finally {
    upstream.close();
  }
}

/**
 * Starts the server of an application. Returns a function that ends it.
 *
 * @param {string} project
 * @param {import('./mounts/frameworks.mjs').Framework} framework
 * @param {Record<string, string>} env
 * @param {(text: string) => void} print
 */
function serve(project, { start }, env, print) {
  const child = spawn(process.execPath, start, { cwd: project, env: { ...process.env, ...env } });
  child.stdout.setEncoding('utf8').on('data', print);
  child.stderr.setEncoding('utf8').on('data', print);
  const closed = once(child, 'close');
  return async () => {
    child.kill();
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await closed;
    clearTimeout(late);
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** @param {number} began */
function seconds(began) {
  return Math.round((performance.now() - began) / 1_000);
}

/** @param {number} code @param {string} otherwise */
function must(code, otherwise) {
  if (code !== 0) throw new Error(otherwise);
}
