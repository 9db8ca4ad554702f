// Skills as domains.
import { beforeAll, describe, expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createAgentSession,
  defineTool,
  denyCapabilities,
  preloadTurns,
  stagedDiscovery,
  type Domain,
} from '@banister/session';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { missingTools, skill, skills } from '@banister/crew/skills';
import { root } from '../../../scripts/run-process.mjs';

const file = (fields: string, body = 'Write one line a change.') => `---\n${fields}\n---\n${body}\n`;
const text = file('name: release-notes\ndescription: Use when the user asks for release notes.');
const use = (...ids: readonly string[]) =>
  callTools({ tool: 'banister.use_domain', args: { ids: [...ids] } });
const reads = (path: string) => callTools({ tool: 'release-notes.read_file', args: { path } });
const tool = (name: string) =>
  defineTool({ name, description: name, parameters: { type: 'object' }, execute: () => 'done' });
const board: Domain = { id: 'board', tools: [tool('add')] };

beforeAll(() => preloadTurns({ discovery: stagedDiscovery() }));

async function answers(domains: readonly Domain[], ...calls: Parameters<typeof scriptedProvider>[0]) {
  const provider = scriptedProvider([...calls, say('Done.')]);
  const session = createAgentSession({
    provider,
    domains: [board, ...domains],
    discovery: stagedDiscovery(),
    limits: { maxRebuilds: 3 },
  });
  await session.send('Go');
  await session.dispose();
  const texts = provider.requests
    .at(-1)!
    .messages.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === 'tool-result'
          ? [part.content.map((one) => (one.type === 'text' ? one.text : JSON.stringify(one))).join('\n')]
          : [],
      ),
    );
  return { provider, texts };
}

describe('a skill', () => {
  it('agents S1, S2: is a domain that the model reads when it asks for it', async () => {
    const notes = skill(text);
    expect(notes).toMatchObject({
      id: 'release-notes',
      summary: 'Use when the user asks for release notes.',
      instructions: 'Write one line a change.',
      staged: true,
      tools: [],
    });
    const { provider, texts } = await answers([notes], use('release-notes'));
    expect(provider.requests[0]!.system).toContain('Use when the user asks for release notes.');
    expect(provider.requests[0]!.system).not.toContain('Write one line a change.');
    expect(texts[0]).toContain('Write one line a change.');
  });

  it('has the version of its metadata, or a hash that changes with the text', () => {
    expect(skill(file('name: a\ndescription: b\nmetadata:\n  version: "1.2"')).version).toBe('1.2');
    expect(skill(file('name: a\ndescription: b')).version).toBe('ab0f0c2d');
    expect(skill(text).version).not.toBe(skill(`${text}More.`).version);
  });

  it('keeps what else its frontmatter says', () => {
    const fields = [
      'name: a',
      'description: b',
      'license: MIT',
      'compatibility: Needs a board.',
      'allowed-tools: board.add Bash(git log:*), Read',
      'metadata:',
      '  author: me',
      'other: [x]',
    ];
    expect(skill(file(fields.join('\n'))).notes).toEqual({
      license: 'MIT',
      compatibility: 'Needs a board.',
      allowedTools: ['board.add', 'Bash(git log:*)', 'Read'],
      metadata: { author: 'me' },
    });
    expect(skill(text).notes).toEqual({ allowedTools: [], metadata: {} });
  });

  it('the tools that it expects are no permission', async () => {
    const wanting = skill(file('name: wanting\ndescription: b\nallowed-tools: board.add'));
    const provider = scriptedProvider([callTools({ tool: 'board.add', args: {} }), say('Done.')]);
    const session = createAgentSession({
      provider,
      domains: [board, wanting],
      discovery: stagedDiscovery(),
      guards: [denyCapabilities('mutating')],
    });
    await session.send('Go', { use: ['wanting'] });
    expect(session.state.turns[0]!.rounds[0]!.parts).toMatchObject([{ result: { outcome: 'rejected' } }]);
    await session.dispose();
  });

  it('acts by the tools of the app that it was given', async () => {
    const { provider } = await answers([skill(text, { tools: [tool('publish')] })], use('release-notes'));
    expect(provider.requests[1]!.tools.map(({ name }) => name)).toContain('release-notes.publish');
  });

  it.each<readonly [string, string, string]>([
    ['no name', 'description: b', 'line 1: the frontmatter has no name'],
    ['an empty name', 'name:\ndescription: b', 'line 2: the frontmatter has no name'],
    ['a name with capitals', 'name: Notes\ndescription: b', 'line 2: "Notes" is no name'],
    ['two hyphens', 'name: a--b\ndescription: b', 'line 2: "a--b" is no name'],
    ['a path as name', 'name: a/b\ndescription: b', 'line 2: "a/b" is no name'],
    ['a long name', `name: ${'a'.repeat(65)}\ndescription: b`, 'line 2: name has 65 characters'],
    ['no description', 'name: a', 'line 1: the frontmatter has no description'],
    ['a long description', `name: a\ndescription: ${'b'.repeat(1025)}`, 'line 3: description has 1025'],
    ['a list as description', 'name: a\ndescription: [b]', 'line 3: description is not a text'],
    ['a text as metadata', 'name: a\ndescription: b\nmetadata: c', 'line 4: metadata has no keys'],
    ['keys as tools', 'name: a\ndescription: b\nallowed-tools:\n  c: d', 'line 4: allowed-tools is no list'],
  ])('agents S3: with %s is refused, with the line', (_name, fields, message) => {
    expect(() => skill(file(fields))).toThrow(`SKILL.md, ${message}`);
  });

  it('agents S3: without a body, as no text, and with a wrong tool is refused', () => {
    expect(() => skill(file('name: a\ndescription: b', ''))).toThrow('"a" has no text after its frontmatter');
    expect(() => skill(7 as never)).toThrow('SKILL.md: a text is needed; got number');
    expect(() => skill(text, { files: {}, tools: [tool('read_file')] })).toThrow('is defined twice');
    expect(() => skill(file('name: banister\ndescription: b'))).toThrow('reserved');
  });
});

describe('the files of a skill', () => {
  const files = { 'references/style.md': 'Short sentences.', 'scripts/build.sh': 'rm -rf /' };

  it('are read by the model, scripts too, which do not run', async () => {
    const { texts } = await answers(
      [skill(text, { files })],
      use('release-notes'),
      reads('references/style.md'),
      reads('./scripts/build.sh'),
    );
    expect(texts.slice(1)).toEqual(['Short sentences.', 'rm -rf /']);
  });

  it.each([
    '../secret',
    'references/../../secret',
    '/etc/passwd',
    'a\\b',
    '',
    'a//b',
    'http://x/y',
    'a%2e%2e',
    '.\t./secret',
    '.\n./secret',
    '..\r/x',
    '.. /x',
    'a\u0000b',
    'a?b',
    '.\u200b./x',
    '.',
  ])('the path %j is refused, and no function is called', async (path) => {
    const asked: string[] = [];
    const read = async (one: string) => (asked.push(one), 'text');
    const { texts } = await answers([skill(text, { files: read })], use('release-notes'), reads(path));
    expect(texts[1]).toContain('is no path in the folder of the skill');
    expect(asked).toEqual([]);
  });

  it('an unknown path is answered with the paths that there are', async () => {
    const { texts } = await answers(
      [skill(text, { files })],
      use('release-notes'),
      reads('style.md'),
      reads('constructor'),
    );
    expect(texts[1]).toContain('There is no file "style.md". Files: references/style.md, scripts/build.sh.');
    expect(texts[2]).toContain('There is no file "constructor".');
  });

  it('are found by their names, whatever characters they have', async () => {
    const odd = { 'references/c#.md': 'C sharp.', 'what?.md': 'What.' };
    const { texts } = await answers(
      [skill(text, { files: odd })],
      use('release-notes'),
      reads('references/c#.md'),
      reads('what?.md'),
    );
    expect(texts.slice(1)).toEqual(['C sharp.', 'What.']);
  });

  it('are no number, and a text that is cut keeps its characters whole', async () => {
    expect(() => skill(text, { files: 7 as never })).toThrow(
      'the files of a skill are an object or a function; got number',
    );
    const files = { 'a.md': `${'a'.repeat(49_999)}\u{1F600}b` };
    const { texts } = await answers([skill(text, { files })], use('release-notes'), reads('a.md'));
    expect(texts[1]!.startsWith(`${'a'.repeat(49_999)}\n[`)).toBe(true);
  });

  it('a function that fails is a failed call', async () => {
    const read = () => Promise.reject(new Error('HTTP 404'));
    const { texts } = await answers([skill(text, { files: read })], use('release-notes'), reads('a.md'));
    expect(texts[1]).toContain('HTTP 404');
  });

  it('agents S5: a file of more than 50,000 characters is shortened, with a line that says so', async () => {
    const long = { 'a.md': 'x'.repeat(60_000) };
    const { texts } = await answers([skill(text, { files: long })], use('release-notes'), reads('a.md'));
    expect(texts[1]).toHaveLength(
      50_000 + '\n[The first 50000 of 60000 characters. The rest was left out.]'.length,
    );
    expect(texts[1]).toMatch(/\[The first 50000 of 60000 characters\. The rest was left out\.\]$/);
  });
});

describe('the skills of folders', () => {
  const of = (name: string) => file(`name: ${name}\ndescription: ${name}.`);

  it('are found by SKILL.md, with the files of their folders', async () => {
    const found = skills({
      './skills/b/SKILL.md': of('b'),
      './skills/a/SKILL.md': of('a'),
      './skills/a/references/x.md': 'X',
      './skills/README.md': 'No skill.',
    });
    expect(found.map(({ id, tools }) => [id, tools.map(({ name }) => name).join()])).toEqual([
      ['a', 'read_file'],
      ['b', ''],
    ]);
  });

  it('a file belongs to the nearest folder with a SKILL.md', () => {
    for (const inner of ['b', '1']) {
      const found = skills({
        'a/SKILL.md': of('a'),
        [`a/${inner}/SKILL.md`]: of(inner),
        [`a/${inner}/x.md`]: 'X',
      });
      expect(Object.fromEntries(found.map(({ id, tools }) => [id, tools.length]))).toEqual({
        a: 0,
        [inner]: 1,
      });
    }
  });

  it.each<readonly [string, Record<string, string>, string]>([
    ['no skill', { 'README.md': 'x' }, 'None of the files is a SKILL.md'],
    ['another folder', { 'x/SKILL.md': of('a') }, 'x/SKILL.md: the name "a" is not that of the folder, "x"'],
    ['one name twice', { 'x/a/SKILL.md': of('a'), 'y/a/SKILL.md': of('a') }, 'Two skills have the name "a"'],
    ['a wrong file', { 'a/SKILL.md': 'x' }, 'a/SKILL.md, line 1: '],
  ])('with %s are refused, with the path', (_name, files, message) => {
    expect(() => skills(files)).toThrow(message);
  });

  it('the tools that they expect and the app lacks are named', () => {
    const one = (name: string, tools: string) =>
      skill(file(`name: ${name}\ndescription: b\nallowed-tools: ${tools}`));
    const missing = missingTools([one('a', 'board.add Bash'), one('b', 'board a')], [board]);
    expect([...missing]).toEqual([['a', ['Bash']]]);
  });
});

describe('the skills that published packages ship', () => {
  const modules = path.join(root, 'node_modules');
  const shipped = ['arktype', 'playwright-core', '@reduxjs/toolkit', '@copilotkit/aimock', 'nostics'];
  const found = shipped.flatMap((name) =>
    readdirSync(path.join(modules, name), { recursive: true, encoding: 'utf8' })
      .filter((one) => path.basename(one) === 'SKILL.md')
      .map((one) => path.join(name, one)),
  );
  /** The skills whose names are paths, which the format does not allow. */
  const wrong = found.filter((one) => one.startsWith('@reduxjs/toolkit'));

  it('agents S3: are read as they are', () => {
    const read = found.filter((one) => !wrong.includes(one));
    expect(read.length).toBeGreaterThanOrEqual(5);
    for (const one of read) {
      const [domain] = skills({ [one]: readFileSync(path.join(modules, one), 'utf8') });
      expect(domain).toMatchObject({ id: path.basename(path.dirname(one)), staged: true });
      expect(domain!.summary!.length).toBeGreaterThan(20);
    }
    console.log(
      `Skills of packages: ${read.length} read (${read.join(', ')}); ${wrong.length} of @reduxjs/toolkit skipped, because their names are paths.`,
    );
  });

  it('agents S3: a name that is a path is refused, with the line', () => {
    expect(wrong.length).toBeGreaterThan(0);
    for (const one of wrong)
      expect(() => skill(readFileSync(path.join(modules, one), 'utf8'))).toThrow(
        /SKILL\.md, line 2: ".*" is no name/,
      );
  });
});
