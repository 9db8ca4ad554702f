import { AgentSessionError, defineDomain, type Domain, type Tool } from '@banister/session';
import { lineError, readDocument, type Document, type Value } from './frontmatter.js';
import { readFileTool, type SkillFiles } from './read-file-tool.js';

/** Options of {@link skill}. */
export interface SkillOptions {
  /** The files beside `SKILL.md`. The model reads them by the tool `read_file` of the skill. Default: none. */
  readonly files?: SkillFiles | undefined;
  /** Tools of the app with which the skill acts. They become callable when the skill becomes active. Default: none. */
  readonly tools?: readonly Tool[] | undefined;
}

/** What the frontmatter of a skill says beside its name and its description. */
export interface SkillNotes {
  readonly license?: string;
  /** Where the skill can be used. */
  readonly compatibility?: string;
  /** The tools that the skill expects. They are no permission: the guards of the session decide about each call. */
  readonly allowedTools: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** A skill: a domain that waits until the model asks for it, or `SendOptions.use` names it. */
export interface Skill extends Domain {
  readonly notes: SkillNotes;
}

const LONGEST_NAME = 64;
const LONGEST_DESCRIPTION = 1_024;
const LONGEST_COMPATIBILITY = 500;
const LONGEST_TOOLS = 10_000;

/**
 * Reads a skill in the format of Agent Skills (https://agentskills.io/specification). Its name is the id of the domain, its description the
 * summary, and its body the instructions. Scripts are files that the model may read; they are never run.
 *
 * @param text the text of `SKILL.md`
 * @throws AgentSessionError `invalid-configuration` if the frontmatter is not that of a skill, with the line, and if the body is empty
 *
 * @example
 * const notes = skill('---\nname: release-notes\ndescription: Use for release notes.\n---\nWrite one line a change.');
 * const session = createAgentSession({ provider, domains: [board, notes], discovery: stagedDiscovery() });
 */
export function skill(text: string, options: SkillOptions = {}): Skill {
  return skillOf(text, options, 'SKILL.md');
}

/**
 * Reads all skills of some folders, in the order of their paths. A folder with a `SKILL.md` is a skill, and has the name of the skill. The other
 * files of the folder are the files of the skill. A file outside of these folders is left out.
 *
 * @param files the texts of the files by path, as `import.meta.glob(…, { query: '?raw', import: 'default', eager: true })` returns them
 * @throws AgentSessionError `invalid-configuration` as {@link skill} does, with the path. It also throws if no file is a `SKILL.md`, if a
 *   folder does not have the name of its skill, and if two skills have the same name
 *
 * @example
 * const found = skills({ 'skills/release-notes/SKILL.md': text, 'skills/release-notes/references/style.md': style });
 */
export function skills(files: Readonly<Record<string, string>>): readonly Skill[] {
  const paths = Object.keys(files ?? {}).toSorted();
  const folders = paths
    .filter((path) => /(^|\/)SKILL\.md$/.test(path))
    .map((path) => path.slice(0, -'SKILL.md'.length));
  if (folders.length === 0) throw refused('None of the files is a SKILL.md.');
  const nearest = folders.toSorted((one, other) => other.length - one.length);
  const folderOf = (path: string) => nearest.find((folder) => path.startsWith(folder));
  const found = folders.map((folder) => {
    const own = paths.filter((path) => folderOf(path) === folder && path !== `${folder}SKILL.md`);
    const texts = Object.fromEntries(own.map((path) => [path.slice(folder.length), files[path]!]));
    const path = `${folder}SKILL.md`;
    const one = skillOf(files[path]!, own.length === 0 ? {} : { files: texts }, path);
    const name = folder.split('/').at(-2);
    if (name !== undefined && name !== one.id)
      throw refused(`${path}: the name "${one.id}" is not that of the folder, "${name}".`);
    return one;
  });
  const twice = found.find(({ id }, index) => found.findIndex((other) => other.id === id) < index);
  if (twice !== undefined) throw refused(`Two skills have the name "${twice.id}".`);
  return found;
}

function skillOf(text: string, { files, tools = [] }: SkillOptions, file: string): Skill {
  if (typeof text !== 'string') throw refused(`${file}: a text is needed; got ${typeof text}.`);
  if (files !== undefined && !['object', 'function'].includes(typeof files))
    throw refused(`${file}: the files of a skill are an object or a function; got ${typeof files}.`);
  const read = new Fields(readDocument(text, file), file);
  const id = read.needed('name', LONGEST_NAME);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))
    throw read.error('name', `"${id}" is no name of lowercase letters, digits and single hyphens`);
  const description = read.needed('description', LONGEST_DESCRIPTION);
  const compatibility = read.text('compatibility', LONGEST_COMPATIBILITY);
  const license = read.text('license', Infinity);
  const metadata = read.texts('metadata');
  const { body } = read.document;
  if (body === '') throw refused(`${file}: the skill "${id}" has no text after its frontmatter.`);
  const all = [...(files === undefined ? [] : [readFileTool(id, files)]), ...tools];
  defineDomain({ id, tools: all });
  return {
    id,
    version: metadata['version'] ?? hashOf(text),
    summary: description,
    instructions: body,
    staged: true,
    tools: all,
    notes: {
      ...(license === undefined ? {} : { license }),
      ...(compatibility === undefined ? {} : { compatibility }),
      allowedTools: read.words('allowed-tools'),
      metadata,
    },
  };
}

/** The fields of a frontmatter, with errors that name their lines. */
class Fields {
  constructor(
    readonly document: Document,
    private readonly file: string,
  ) {}

  needed(name: string, longest: number): string {
    const text = this.text(name, longest);
    if (text === undefined) throw this.error(name, `the frontmatter has no ${name}`);
    return text;
  }

  /** Returns a text without white space around it; undefined if the field is absent or empty. */
  text(name: string, longest: number): string | undefined {
    const value = this.value(name);
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw this.error(name, `${name} is not a text`);
    const text = value.trim();
    const length = [...text].length;
    if (length > longest)
      throw this.error(name, `${name} has ${length} characters, and at most ${longest} are allowed`);
    return text === '' ? undefined : text;
  }

  /** Returns texts by name. */
  texts(name: string): Readonly<Record<string, string>> {
    const value = this.value(name);
    if (value === undefined || value === '') return {};
    if (!(value instanceof Map)) throw this.error(name, `${name} has no keys`);
    return Object.fromEntries(value as ReadonlyMap<string, string>);
  }

  /** Returns words: a list, or a text in which spaces or commas outside of parentheses divide them. */
  words(name: string): readonly string[] {
    const value = this.value(name);
    if (value === undefined) return [];
    if (typeof value === 'string' && value.length > LONGEST_TOOLS)
      throw this.error(name, `${name} has more than ${LONGEST_TOOLS} characters`);
    if (typeof value === 'string') return value.match(/(?:\([^)]*\)|[^\s,(])+/g) ?? [];
    if (!Array.isArray(value)) throw this.error(name, `${name} is no list`);
    return value as readonly string[];
  }

  error(name: string, problem: string): AgentSessionError {
    return lineError(this.file, this.document.fields.get(name)?.line ?? 1, problem);
  }

  private value(name: string): Value | undefined {
    return this.document.fields.get(name)?.value;
  }
}

function refused(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}

/** Returns a short hash of a text, FNV-1a with 32 bits. It tells versions apart, and protects nothing. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
