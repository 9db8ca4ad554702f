import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { functionsOf } from '../scripts/house/function-lengths.js';
import { circlesOf } from '../scripts/house/import-circles.js';
import { importsOf, sourceExists, sourcesOf, type Import } from '../scripts/house/read-imports.js';
import { latePackages } from '../scripts/packages.mjs';
import { sourceCondition } from '../scripts/product.mjs';

// Holds the import rules that ARCHITECTURE.md draws. The tables come first: to change a rule, change its row, and the
// picture with it.

// ---------------------------------------------------------------------------------------------------- the rules

/**
 * The folders that the files of one folder of packages/session/src may import beside their own. `values` includes types;
 * `types` are folders of which only types may be named. `*` stands for everything.
 */
interface FolderRule {
  readonly values: readonly string[];
  readonly types?: readonly string[];
}

/** Small enough to stand under everything: they may be imported from anywhere, and import next to nothing themselves. */
const foundations = ['ports'];

const turnMayUse = ['context', 'conversation', 'guards', 'limits', 'operations', 'state', 'tools', 'undo'];

const sessionFolders: Readonly<Record<string, FolderRule>> = {
  // Operations reach the journal only through this folder.
  ports: { values: [], types: ['operations'] },
  // The record of a child turn has its phase and its budget.
  conversation: { values: [], types: ['operations', 'state'] },
  operations: { values: ['conversation'] },
  state: { values: ['operations', 'conversation'] },
  tools: { values: ['operations', 'conversation'] },
  guards: { values: ['tools', 'operations', 'conversation'] },
  undo: { values: ['state', 'operations', 'tools', 'conversation'] },
  context: { values: ['operations', 'conversation'], types: ['state'] },
  limits: { values: ['operations', 'conversation'], types: ['state'] },
  // An agent is a value with settings of a session.
  agents: {
    values: ['operations', 'conversation', 'tools'],
    types: ['compaction', 'context', 'guards', 'middleware'],
  },
  // The code that runs agents, a chunk of its own.
  children: { values: ['agents', 'session', 'turn', ...turnMayUse], types: ['middleware'] },
  turn: { values: turnMayUse, types: ['agents', 'middleware'] },
  middleware: { values: ['turn', ...turnMayUse] },
  structured: { values: ['turn', ...turnMayUse] },
  compaction: { values: ['turn', ...turnMayUse] },
  discovery: { values: turnMayUse, types: ['turn'] },
  review: { values: ['turn', ...turnMayUse] },
  consent: { values: ['turn', ...turnMayUse] },
  extension: { values: turnMayUse, types: ['turn'] },
  signals: { values: ['state', 'operations', 'conversation', 'guards'] },
  words: { values: ['conversation', 'signals'], types: ['operations', 'state'] },
  queue: { values: [] },
  // A log folds what it reads, and gives it to the core of a session, which it knows as a type.
  log: { values: ['conversation', 'operations', 'state'], types: ['session', 'signals', 'turn'] },
  session: { values: ['*'] },
  export: { values: ['conversation'], types: ['state'] },
  // What an app or another package imports beside the main entry.
  entries: { values: ['*'] },
};

/**
 * A feature has one folder, but its files still belong to floors of the house: the end of a name says to
 * which floor. A file with another end belongs to the floor of its folder.
 */
const features = [
  'compaction',
  'consent',
  'discovery',
  'extension',
  'middleware',
  'queue',
  'review',
  'structured',
];

const floorsOfFeatures: readonly (readonly [ending: RegExp, floor: string])[] = [
  [/-operations\.ts$/, 'operations'],
  [/-(?:handlers|notes)\.ts$/, 'state'],
  [/-(?:code|command|commands|method|options)\.ts$/, 'session'],
];

/** Which folders of packages/session/src may import a package. `index.ts` gathers and may name any of them. */
const sessionPackages: Readonly<Record<string, FolderRule>> = {
  '@banister/provider': { values: ['*'] },
  '@banister/schema': { values: ['tools'], types: ['*'] },
  rxjs: {
    values: [
      'turn',
      'middleware',
      'structured',
      'compaction',
      'review',
      'consent',
      'extension',
      'children',
      'signals',
      'session',
      'operations',
      'guards',
      'undo',
      'tools',
      'context',
    ],
  },
  '@preact/signals-core': { values: ['signals'] },
  'json-schema-to-ts': { values: [], types: ['tools'] },
  '@standard-schema/spec': { values: [], types: ['tools', 'operations'] },
};

/** For each folder of packages/provider/src, the other folders that its files may import. */
const providerFolders: Readonly<Record<string, FolderRule>> = {
  json: { values: [] },
  errors: { values: ['json'] },
  messages: { values: ['json'] },
  port: { values: ['json', 'errors', 'messages'] },
  fallback: { values: ['json', 'errors', 'messages', 'port'] },
};

/** Which packages the sources of every other package may import; `types` only as types or by a dynamic import. */
const otherPackages: Readonly<Record<string, FolderRule>> = {
  provider: { values: [] },
  schema: {
    values: ['ajv', '@cfworker/json-schema', '@eslint-community/regexpp'],
    types: ['@banister/provider'],
  },
  testing: {
    values: [
      '@banister/session',
      '@banister/session/log',
      '@banister/session/operations',
      '@banister/session/signals',
      '@banister/provider',
      '@banister/storage',
    ],
  },
  wire: { values: ['@banister/provider'] },
  openai: {
    values: ['@banister/provider', '@banister/wire', '@banister/wire/provider'],
    types: ['openai'],
  },
  anthropic: {
    values: ['@banister/provider', '@banister/wire', '@banister/wire/provider'],
    types: ['@anthropic-ai/sdk'],
  },
  'on-device': { values: ['@banister/provider'] },
  'model-facts': { values: ['@banister/provider'], types: ['@pydantic/genai-prices'] },
  storage: { values: ['@banister/session', '@banister/session/log', '@banister/provider', 'idb'] },
  remote: {
    values: [
      '@banister/session',
      '@banister/session/follow',
      '@banister/session/operations',
      '@banister/session/signals',
      '@banister/provider',
    ],
    types: ['@banister/session/log', '@banister/session/words'],
  },
  relay: { values: ['@banister/provider'] },
  // The vendors are for the command alone.
  gateway: {
    values: ['@banister/provider', 'srvx'],
    types: ['@banister/openai', '@banister/anthropic', 'jose'],
  },
  stores: { values: ['@banister/session', '@banister/provider', '@preact/signals-core', 'vue'] },
  form: { values: ['@banister/session', '@banister/session/signals', '@banister/provider'] },
  crew: {
    values: ['@banister/session', '@banister/session/signals'],
    types: ['@banister/session/log'],
  },
  react: {
    values: ['@banister/session', '@banister/session/binding', 'react'],
    types: ['@banister/session/signals', '@preact/signals-core'],
  },
  vue: {
    values: ['@banister/session', '@banister/session/binding', 'vue'],
    types: ['@banister/session/signals', '@preact/signals-core'],
  },
  svelte: {
    values: ['@banister/session', '@banister/session/binding', 'svelte'],
    types: ['@banister/session/signals', '@preact/signals-core'],
  },
};

/** The packages and files that an entry must not load before they are asked for, however many files lie between. */
const kept: readonly { entry: string; without: readonly string[] }[] = [
  {
    entry: 'packages/session/src/index.ts',
    without: latePackages,
  },
  {
    // The pipeline is a chunk of its own, and so is what only the pipeline needs.
    entry: 'packages/session/src/session/create-agent-session.ts',
    without: [
      'packages/session/src/turn/turn.ts',
      'packages/session/src/turn/turn-context.ts',
      'packages/session/src/middleware/hook-stages.ts',
      'packages/session/src/structured/structured-stages.ts',
      'packages/session/src/compaction/compaction-commands.ts',
      'packages/session/src/compaction/compaction-stages.ts',
      'packages/session/src/discovery/staged-tools.ts',
      'packages/session/src/review/turn-review.ts',
      'packages/session/src/consent/turn-consent.ts',
      'packages/session/src/extension/turn-extensions.ts',
      'packages/session/src/children/turn-gate.ts',
      'packages/session/src/structured/generate-command.ts',
      'packages/session/src/session/open-session.ts',
      'packages/session/src/session/loaded-session.ts',
      'packages/session/src/state/state-store.ts',
      'packages/session/src/conversation/open-conversation.ts',
      'packages/session/src/undo/undo-stack.ts',
      'packages/session/src/tools/argument-checker.ts',
    ],
  },
  {
    entry: 'packages/schema/src/interpreted-validator.ts',
    without: ['ajv', '@eslint-community/regexpp'],
  },
  {
    entry: 'packages/schema/src/compiled-validator.ts',
    without: ['@cfworker/json-schema', '@eslint-community/regexpp'],
  },
  {
    entry: 'packages/provider/src/index.ts',
    without: ['rxjs', '@preact/signals-core', 'ajv', '@cfworker/json-schema', '@eslint-community/regexpp'],
  },
  {
    entry: 'packages/session/src/export/index.ts',
    without: ['rxjs', '@preact/signals-core', 'packages/session/src/state/session-state.ts'],
  },
  {
    // A page that does not import exports or words does not contain their code.
    entry: 'packages/session/src/index.ts',
    without: ['packages/session/src/export/index.ts', 'packages/session/src/words/create-words.ts'],
  },
  {
    entry: 'packages/wire/src/index.ts',
    without: ['openai', '@anthropic-ai/sdk', 'rxjs', '@preact/signals-core'],
  },
  {
    entry: 'packages/openai/src/index.ts',
    without: ['openai', 'rxjs', '@preact/signals-core', 'packages/openai/src/stream-answer.ts'],
  },
  {
    entry: 'packages/model-facts/src/index.ts',
    without: ['@pydantic/genai-prices', 'rxjs', '@preact/signals-core'],
  },
  {
    entry: 'packages/anthropic/src/index.ts',
    without: ['@anthropic-ai/sdk', 'rxjs', '@preact/signals-core', 'packages/anthropic/src/stream-answer.ts'],
  },
  { entry: 'packages/on-device/src/index.ts', without: ['rxjs', '@preact/signals-core'] },
  {
    // A page that shows a form has the session; the validators are fetched when a tool needs them.
    entry: 'packages/session/src/tools/load-tool-check.ts',
    without: [...latePackages, 'rxjs', '@preact/signals-core'],
  },
  { entry: 'packages/relay/src/index.ts', without: [...latePackages, 'rxjs', '@preact/signals-core'] },
  {
    // A worker or an edge function has neither.
    entry: 'packages/gateway/src/index.ts',
    without: [...latePackages, 'rxjs', '@preact/signals-core', 'srvx', 'jose'],
  },
];

/** The frameworks that the demo draws its chat in, each in a folder of this name. */
const frameworks = ['react', 'vue', 'svelte'] as const;

/** Names that say nothing about what a file holds. */
const emptyNames = /^(utils?|types?|helpers?|.*manager|common|misc)$/i;

/** Lines of the longest function that a package may have. */
const LONGEST_FUNCTION = 60;

/** Names of the main entry of the session. */
const MOST_NAMES = 200;

/** The files of the provider package, for the session. */
const inside = '@banister/provider/internal';

/** Words that hide who acts. */
const unknownPerson = '(?:(?:no|some|any|every)body|(?:any|every|some)one|no one|whoever)';

/** Such a word in a comment, or in the title of a test. Data and what the demo shows to users may have them. */
const vague = new RegExp(
  `(?:(?:^|\\s)(?://|/?\\*|<!--)|(?:(?<!\\.)\\b(?:test|it|describe)(?=[.(])[^'"\`]*|\\)\\()['"\`]).*\\b${unknownPerson}\\b`,
  'i',
);

// ---------------------------------------------------------------------------------------------------- the tests

const root = fileURLToPath(new URL('..', import.meta.url));
const sessionFiles = sourcesOf('packages/session/src');
const packageNames = foldersOf('packages');
/** The packages with a table of folders; `below` are the folders that every other folder may import. */
const layered = [
  { name: 'session', files: sessionFiles, folders: sessionFolders, below: foundations },
  {
    name: 'provider',
    files: sourcesOf('packages/provider/src'),
    folders: providerFolders,
    below: [] as readonly string[],
  },
];
const packageFiles = packageNames.flatMap((name) => sourcesOf(`packages/${name}/src`));
const appFiles = foldersOf('apps').flatMap((name) => sourcesOf(`apps/${name}/src`));

// Every source is parsed once, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('packages/session, and packages/provider below it', () => {
  test.each(layered)('$name has sources to look at', ({ files }) => {
    expect(files.length).toBeGreaterThan(0);
  });

  test.each(layered)('every file of $name lies in a folder that its table knows', ({ files, folders }) => {
    const strangers = files.filter((file) => {
      const folder = folderOf(file);
      return folder === '' ? !['index.ts', 'node.ts'].includes(path.basename(file)) : !(folder in folders);
    });
    expect(strangers).toEqual([]);
  });

  test.each(layered)('every folder of $name imports only those below it', ({ files, folders, below }) => {
    const offences = everyImport(files, ({ file, target, typeOnly, specifier }) => {
      if (target === undefined) return false;
      const from = floorOf(file);
      const to = floorOf(target);
      const rule = folders[from];
      if (from === '' || from === to || rule === undefined) return false;
      if (to === '') return `${specifier} gathers what is public; import the file itself`;
      const always = below.includes(from) ? [] : below;
      return !allows({ ...rule, values: [...rule.values, ...always] }, to, typeOnly);
    });
    expect(offences).toEqual([]);
  });

  test('rxjs, signals and each validator stay behind the folder that the table names', () => {
    const offences = everyImport(sessionFiles, ({ file, external, typeOnly }) => {
      if (external === undefined || folderOf(file) === '') return false;
      const rule = sessionPackages[packageOf(external)];
      return rule === undefined || !allows(rule, floorOf(file), typeOnly);
    });
    expect(offences).toEqual([]);
  });

  test('a value of the provider package is imported from its file, because a bundler divides a page by files', () => {
    const offences = everyImport(
      sessionFiles,
      ({ external, typeOnly }) => external === '@banister/provider' && !typeOnly,
    );
    expect(offences).toEqual([]);
  });

  test('each file of the provider package whose values the session imports is in the one file for Node', () => {
    const imported = sessionFiles
      .flatMap(importsOf)
      .filter(({ external = '', typeOnly }) => external.startsWith(`${inside}/`) && !typeOnly)
      .map(({ external = '' }) => `packages/provider/src${external.slice(inside.length)}.ts`);
    const inNode = importsOf('packages/provider/src/node.ts').map(({ target }) => target);
    expect(new Set(imported).size).toBeGreaterThan(10);
    expect(imported.filter((file) => !inNode.includes(file))).toEqual([]);
  });

  test(`house H9: the main entry of the session exports at most ${MOST_NAMES} names`, () => {
    const text = readFileSync(path.join(root, 'packages/session/src/index.ts'), 'utf8');
    expect(text).not.toMatch(/export (?:type )?\*/);
    const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
      list.split(',').filter((name) => name.trim() !== ''),
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.length).toBeLessThanOrEqual(MOST_NAMES);
  });

  test('index.ts names only packages of the table', () => {
    const index = sessionFiles.filter((file) => folderOf(file) === '');
    expect(
      everyImport(
        index,
        ({ external }) => external !== undefined && !(packageOf(external) in sessionPackages),
      ),
    ).toEqual([]);
  });
});

describe('the other packages', () => {
  test('each has a row in the table', () => {
    const unknown = packageNames.filter((name) => name !== 'session' && !(name in otherPackages));
    expect(unknown).toEqual([]);
  });

  test.each(Object.entries(otherPackages))('%s imports only what its row allows', (name, rule) => {
    const offences = everyImport(
      sourcesOf(`packages/${name}/src`),
      ({ external, typeOnly, dynamic, specifier }) => {
        if (external === undefined) return false;
        // A row may name an entry (`@banister/provider`); another package is allowed with all its subpaths.
        const asked = specifier.startsWith('@banister/') ? specifier : matching(rule, specifier);
        return !allows(rule, asked, typeOnly || dynamic);
      },
    );
    expect(offences).toEqual([]);
  });
});

describe('everywhere', () => {
  test('no import leaves its own package by a path', () => {
    const offences = everyImport(
      [...packageFiles, ...appFiles],
      ({ file, target }) => target !== undefined && homeOf(file) !== homeOf(target),
    );
    expect(offences).toEqual([]);
  });

  test('no package imports the testing kit', () => {
    const offences = everyImport(
      packageFiles,
      ({ external }) => external?.startsWith('@banister/testing') ?? false,
    );
    expect(offences).toEqual([]);
  });

  test('apps import public entries only', () => {
    const entries = new Set(packageNames.flatMap(publicEntriesOf));
    const offences = everyImport(
      appFiles,
      ({ external }) => (external?.startsWith('@banister/') ?? false) && !entries.has(external ?? ''),
    );
    expect(offences).toEqual([]);
  });

  test('the demo’s views know nothing of each other, and what they share knows no framework', () => {
    const chat = 'apps/chat/src';
    const shared = appFiles.filter((file) => path.posix.dirname(file) !== chat);
    const offences = everyImport(shared, ({ file, target, external, dynamic }) => {
      const own = frameworks.find((name) => file.startsWith(`${chat}/${name}/`));
      const known = frameworks.find((name) =>
        target === undefined
          ? packageOf(external ?? '')
              .replace('@banister/', '')
              .split('-')[0] === name
          : target.startsWith(`${chat}/${name}/`),
      );
      return known !== undefined && known !== own && !dynamic;
    });
    expect(offences).toEqual([]);
  });

  test('a file name says what the file holds', () => {
    const nameless = [...packageFiles, ...appFiles].filter((file) =>
      emptyNames.test(path.basename(file).replace(/\..*$/, '')),
    );
    expect(nameless).toEqual([]);
  });

  test.each(packageNames)(
    'the imports of %s make no circle, those of types and later ones included',
    (name) => {
      expect(circlesOf(sourcesOf(`packages/${name}/src`))).toEqual([]);
    },
  );

  test('house H5: the imports of the demo make no circle', () => {
    expect(circlesOf(sourcesOf('apps/chat/src'))).toEqual([]);
  });

  test('house H4: ARCHITECTURE.md is a map that is read in one sitting, and each file that it names is there', () => {
    const map = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
    expect(map.split(/\s+/).length).toBeLessThanOrEqual(1_800);
    const table = /## Where is what\n[^]*?\n\|-[^\n]*\n([^]*?)\n\n/.exec(map)?.[1] ?? '';
    expect(table.split('\n').length).toBeGreaterThan(10);
    expect(table.split('\n').length).toBeLessThanOrEqual(20);
    const named = [...map.matchAll(/`([\w./-]+\/[\w-]+\.tsx?)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(30);
    const lacking = named.filter(
      (name) => !sourceExists(name) && !sourceExists(`packages/session/src/${name}`),
    );
    expect(lacking).toEqual([]);
  });

  test(`no function of a package has more than ${LONGEST_FUNCTION} lines`, () => {
    const long = packageFiles.flatMap(functionsOf).filter(({ lines }) => lines > LONGEST_FUNCTION);
    expect(long.map(({ file, line, name, lines }) => `${file}:${line} ${name}: ${lines} lines`)).toEqual([]);
  });

  test('bench W5: a conversation that opens is read for every remembered place, so that its first request reads no earlier turn', () => {
    const folder = path.join(root, 'packages/session/src');
    const finders = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n\n'))
      .flatMap((code) => /const (\w+)[^;]*?=\s*rememberedPlaces\(/.exec(code)?.[1] ?? []);
    const ahead = readFileSync(path.join(folder, 'turn/read-ahead.ts'), 'utf8');
    expect(finders.length).toBeGreaterThan(3);
    expect(finders.filter((name) => !ahead.includes(`${name}(`))).toEqual([]);
  });

  test('no source imports the inside of rxjs', () => {
    const inside = (specifier: string) => /^rxjs\/(?:internal|dist)/.test(specifier);
    expect(everyImport(packageFiles, ({ specifier }) => inside(specifier))).toEqual([]);
  });

  test('no comment, title or page speaks of an unknown person: the subject is a name of the code or the domain', () => {
    const offences = proseFiles().flatMap((file) => {
      const offends = file.endsWith('.md') ? new RegExp(`\\b${unknownPerson}\\b`, 'i') : vague;
      return readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((text, index) => (offends.test(text) ? [`${file}:${index + 1} ${text.trim()}`] : []));
    });
    expect(offences).toEqual([]);
  });

  test.each(kept.filter(({ entry }) => existsSync(path.join(root, entry))))(
    '$entry loads none of $without at once',
    ({ entry, without }) => {
      const reached = loadedBy(entry);
      expect(without.flatMap((name) => (reached.has(name) ? [`${name}: ${reached.get(name)}`] : []))).toEqual(
        [],
      );
    },
  );
});

// ---------------------------------------------------------------------------------------------------- reading the tables

function foldersOf(parent: string): string[] {
  const directory = path.join(root, parent);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/** Every file with comments, titles, messages or documentation. */
function proseFiles(): string[] {
  const inFolders = ['packages', 'apps', 'bench', 'docs', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  return (
    [...inFolders, 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md']
      .map((name) => name.split(path.sep).join('/'))
      // Generated from the titles, which have the data of their tables.
      .filter((name) => name !== 'docs/contract.md')
      .filter(
        (name) =>
          /\.(?:[cm]?[jt]sx?|vue|svelte|css|md)$/.test(name) && !/(?:^|\/)(?:node_modules|dist)\//.test(name),
      )
  );
}

/**
 * The imports that offend, as lines that an editor can open. If `offends` returns a string, it replaces the
 * import.
 */
function everyImport(files: readonly string[], offends: (one: Import) => boolean | string): string[] {
  return files.flatMap(importsOf).flatMap((one) => {
    const offence = offends(one);
    if (offence === false) return [];
    const kind = one.typeOnly ? ' (types)' : one.dynamic ? ' (dynamic)' : '';
    return [`${one.file}:${one.line} → ${typeof offence === 'string' ? offence : one.specifier + kind}`];
  });
}

function allows(rule: FolderRule, wanted: string, typeOnly: boolean): boolean {
  const allowed = typeOnly ? [...rule.values, ...(rule.types ?? [])] : rule.values;
  return allowed.includes('*') || allowed.includes(wanted);
}

/** The name in the row that covers this specifier, or the specifier itself. */
function matching(rule: FolderRule, specifier: string): string {
  const names = [...rule.values, ...(rule.types ?? [])];
  return names.find((name) => specifier === name || specifier.startsWith(`${name}/`)) ?? specifier;
}

/** `packages/session/src/turn/settle.ts` → `turn`; '' for a file beside index.ts. */
function folderOf(file: string): string {
  return /^packages\/[^/]+\/src\/([^/]+)\//.exec(file)?.[1] ?? '';
}

/** Returns the folder whose rule applies to a source; for a file of a feature, the folder of its floor. */
function floorOf(file: string): string {
  const folder = folderOf(file);
  if (!features.includes(folder)) return folder;
  return floorsOfFeatures.find(([ending]) => ending.test(file))?.[1] ?? folder;
}

/** `packages/session`, `apps/chat`. */
function homeOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** `@scope/name/deep` → `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function publicEntriesOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, unknown>;
  };
  return Object.keys(manifest.exports).map((entry) => path.posix.join(manifest.name, entry));
}

/** Every package that loading an entry loads with it, each with the chain of files that leads there. */
function loadedBy(entry: string): Map<string, string> {
  const reached = new Map<string, string>();
  const seen = new Set<string>();
  const follow = (file: string, chain: readonly string[]): void => {
    if (seen.has(file) || !sourceExists(file)) return;
    seen.add(file);
    reached.set(file, chain.join(' → '));
    for (const { target, external, typeOnly, dynamic } of importsOf(file)) {
      if (typeOnly || dynamic) continue;
      if (target !== undefined) follow(target, [...chain, target]);
      if (external === undefined) continue;
      const chained = chain.join(' → ');
      for (const name of new Set([packageOf(external), external]))
        if (!reached.has(name)) reached.set(name, chained);
      const own = sourceOfEntry(external);
      if (own) follow(own, [...chain, own]);
    }
  };
  follow(entry, [entry]);
  return reached;
}

/** The source behind one of our own entries: `@banister/provider` → `packages/provider/src/index.ts`. */
function sourceOfEntry(specifier: string): string | undefined {
  if (!specifier.startsWith('@banister/')) return undefined;
  const folder = `packages/${packageOf(specifier).replace('@banister/', '')}`;
  const manifestFile = path.join(root, folder, 'package.json');
  if (!existsSync(manifestFile)) return undefined;
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
    name: string;
    exports: Record<string, Record<string, string> | string>;
  };
  const asked = specifier.replace(manifest.name, '.');
  for (const [name, entry] of Object.entries(manifest.exports)) {
    const source = typeof entry === 'object' ? entry[sourceCondition] : undefined;
    const [start = '', end] = name.split('*');
    const isThis = end === undefined ? asked === name : asked.startsWith(start);
    if (source !== undefined && isThis)
      return path.posix.join(folder, source.replace('*', asked.slice(start.length)));
  }
  return undefined;
}
