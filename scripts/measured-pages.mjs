// @ts-check
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { latePackages } from './packages.mjs';
import { root as project } from './run-process.mjs';

// The bytes that a page loads at first when it uses the packages in this way. `npm run size` compares the figures with their limits;
// `npm run test:packed` does the same with the packages that users install.

/** The imports of a page that needs a session with a tool, a question and undo. */
const usual = ['createAgentSession', 'defineDomain', 'defineTool', 'success', 'confirmCapabilities'];

const withReact = {
  from: '@banister/react',
  names: [...usual, 'useSession', 'useSignalValue'],
  external: ['react'],
};

/** What a page with a store has already loaded. */
const besideStores = ['@banister/session', '@banister/provider', '@preact/signals-core', 'vue'];

/**
 * @typedef {{ from: string, names: string[] | 'all' }} Used
 * @typedef {Used & { name: string, and?: Used, external?: string[] }} Page
 * @type {Page[]}
 */
export const pages = [
  { name: 'session', from: '@banister/session', names: usual },
  { name: 'discovery', from: '@banister/session', names: [...usual, 'stagedDiscovery'] },
  { name: 'react', ...withReact },
  { name: 'react-openai', ...withReact, and: { from: '@banister/openai', names: ['openai'] } },
  { name: 'react-anthropic', ...withReact, and: { from: '@banister/anthropic', names: ['anthropic'] } },
  { name: 'vue', from: '@banister/vue', names: [...usual, 'useSession', 'useSignal'], external: ['vue'] },
  {
    name: 'svelte',
    from: '@banister/svelte',
    names: [...usual, 'fromSession', 'fromSignal'],
    external: ['svelte', 'svelte/reactivity'],
  },
  {
    name: 'words',
    from: '@banister/session',
    names: usual,
    and: { from: '@banister/session/words', names: ['createWords'] },
  },
  { name: 'export', from: '@banister/session/export', names: 'all' },
  { name: 'provider', from: '@banister/provider', names: 'all' },
  { name: 'openai', from: '@banister/openai', names: 'all' },
  { name: 'anthropic', from: '@banister/anthropic', names: 'all' },
  { name: 'on-device', from: '@banister/on-device', names: 'all' },
  { name: 'relay', from: '@banister/relay', names: 'all' },
  { name: 'gateway', from: '@banister/gateway', names: 'all' },
  { name: 'model-facts', from: '@banister/model-facts', names: 'all' },
  { name: 'storage', from: '@banister/storage', names: 'all' },
  { name: 'indexed-db', from: '@banister/storage', names: ['indexedDbLog'] },
  { name: 'memory', from: '@banister/storage', names: ['memoryLog'] },
  { name: 'indexed-db-facts', from: '@banister/storage/memory', names: ['indexedDbMemory'] },
  {
    name: 'remote',
    from: '@banister/remote',
    names: 'all',
    external: ['@banister/session', '@banister/session/follow', '@banister/session/signals'],
  },
  { name: 'remote-session', from: '@banister/remote', names: ['remoteSession'] },
  {
    name: 'form',
    from: '@banister/form',
    names: 'all',
    external: ['@banister/session', '@banister/session/signals', '@banister/provider'],
  },
  {
    name: 'facts',
    from: '@banister/crew/memory',
    names: 'all',
    external: ['@banister/session', '@banister/session/signals'],
  },
  { name: 'plan', from: '@banister/crew/plan', names: 'all', external: ['@banister/session'] },
  {
    name: 'tasks',
    from: '@banister/crew/tasks',
    names: 'all',
    external: ['@banister/session', '@banister/session/signals'],
  },
  { name: 'skills', from: '@banister/crew/skills', names: 'all', external: ['@banister/session'] },
  { name: 'stores', from: '@banister/stores', names: 'all', external: besideStores },
  ...['zustand', 'redux', 'signals', 'svelte', 'immer', 'pinia', 'runes'].map((kind) => ({
    name: `stores-${kind}`,
    from: `@banister/stores/${kind}`,
    /** @type {'all'} */
    names: 'all',
    external: besideStores,
  })),
  { name: 'wire', from: '@banister/wire', names: 'all' },
];

/** The chunks that are fetched late, each with the chunks that only it imports. For a log, the session's chunks are already loaded. */
const late = [
  // In the background, when a session is created; those behind the first only with what they are about.
  { kind: 'code', name: /^session-chunk-/ },
  { kind: 'discovery', name: /^staged-tools-/ },
  { kind: 'log', name: /^log-chunk-/ },
  // If a session was left in the middle of a turn.
  { kind: 'resume', name: /^end-interruption-/ },
  // At the first turn of a session with agents. It shares the stages of resumed turns with the code that ends interrupted work.
  { kind: 'agents', name: /^run-child-/ },
  // At the first command that goes to another branch or compacts.
  { kind: 'commands', name: /^command-chunk-/ },
  { kind: 'middleware', name: /^hook-stages-/ },
  { kind: 'compaction', name: /^compaction-stages-/ },
  // Before the first call of a tool.
  { kind: 'validator', name: /^interpreted-/ },
  // At the first `generate`, and when an interrupted `generate` continues.
  { kind: 'generation', name: /^(generate|structured-stages)-/ },
  // At the first request of a provider over HTTP; its client comes in another chunk.
  { kind: 'answers', name: /^stream-answer-/ },
];

/** @param {Page} page @returns {string} */
export function sourceOf({ and, ...page }) {
  return [page, ...(and ? [and] : [])].map(sourceOfUsed).join('');
}

/** @param {Used} used @param {number} index */
function sourceOfUsed({ from, names }, index) {
  return names === 'all'
    ? `import * as all from '${from}';\nglobalThis.used${index} = { ...all };\n`
    : `import { ${names.join(', ')} } from '${from}';\nglobalThis.used${index} = [${names.join(', ')}];\n`;
}

/** Bundles each page into .cache/size, where size-limit measures it. The packages have to be built. */
export async function buildMeasuredPages() {
  const folder = path.join(project, '.cache', 'size');
  rmSync(folder, { recursive: true, force: true });
  for (const page of pages) {
    const place = path.join(folder, page.name);
    mkdirSync(place, { recursive: true });
    const entry = path.join(place, 'page.js');
    writeFileSync(entry, sourceOf(page));
    const { initial, late } = await bundlePage(project, entry, page.external);
    const byEsbuild = ['session', 'react'].includes(page.name) && (await bundleByEsbuild(page));
    for (const [kind, codes] of Object.entries({
      initial,
      ...late,
      ...(byEsbuild && { esbuild: byEsbuild }),
    }))
      codes.forEach((code, index) => writeFileSync(path.join(place, `${kind}-${index}.js`), code));
  }
}

/**
 * Returns the chunks that a page loads at first if esbuild bundles it, because esbuild splits chunks by other rules than Vite.
 *
 * @param {Page} page
 */
async function bundleByEsbuild(page) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    stdin: { contents: sourceOf(page), resolveDir: project },
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    external: page.external,
    outdir: path.join(project, '.cache', 'esbuild'),
    logLevel: 'error',
  });
  const { outputs } = metafile;
  const open = Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === '<stdin>');
  /** @type {Set<string>} */
  const initial = new Set();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (initial.has(file)) continue;
    initial.add(file);
    const { imports = [] } = outputs[file] ?? {};
    open.push(
      ...imports.flatMap(({ kind, external, path: target }) =>
        kind === 'import-statement' && !external ? [target] : [],
      ),
    );
  }
  return outputFiles.filter((file) => initial.has(path.relative('.', file.path))).map((file) => file.text);
}

/**
 * Bundles a page as an application would, with Vite.
 *
 * @param {string} root the folder from which packages are found
 * @param {string} entry the file of the page
 * @param {string[]} [external]
 */
export async function bundlePage(root, entry, external = []) {
  const { build } = await import('vite');
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      rolldownOptions: { input: entry, external },
      modulePreload: false,
    },
  });
  if (Array.isArray(result) || !('output' in result))
    throw new Error('the bundler answered with something unexpected');
  const chunks = result.output.filter((output) => output.type === 'chunk');

  /**
   * The chunks that are fetched with these chunks, without the chunks that are already loaded.
   *
   * @param {typeof chunks} begun @param {typeof chunks} there
   */
  const fetchedWith = (begun, there) => {
    /** @type {typeof chunks} */
    const fetched = [];
    const open = [...begun];
    for (let chunk = open.pop(); chunk; chunk = open.pop()) {
      if (fetched.includes(chunk) || there.includes(chunk)) continue;
      fetched.push(chunk);
      const { imports: files } = chunk;
      open.push(...chunks.filter((other) => files.includes(other.fileName)));
    }
    return fetched;
  };
  const initial = fetchedWith(
    chunks.filter((chunk) => chunk.isEntry),
    [],
  );
  const modules = initial.flatMap((chunk) => chunk.moduleIds).map((id) => id.split(path.sep).join('/'));
  const early = latePackages.filter((name) => modules.some((id) => id.includes(`/node_modules/${name}/`)));
  if (early.length > 0) throw new Error(`the initial chunk holds ${early.join(', ')}`);
  const there = [...initial];
  const parts = late.map(({ kind, name }) => {
    const begun = chunks.filter((chunk) => name.test(path.basename(chunk.fileName)));
    const fetched = fetchedWith(begun, there);
    there.push(...fetched);
    return [kind, fetched.map((chunk) => chunk.code)];
  });
  return {
    initial: initial.map((chunk) => chunk.code),
    /** @type {Record<string, string[]>} */
    late: Object.fromEntries(parts),
    later: chunks.length - initial.length,
  };
}

/** @param {string[]} codes @returns kilobytes (1,000 bytes) to transfer */
export function compressedKb(codes) {
  return codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0) / 1000;
}
