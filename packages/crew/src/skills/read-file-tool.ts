import { defineTool, failed, type Tool } from '@banister/session';

/** The files of a skill: their texts by path, or a function that reads the file at a path. A path is relative to the folder of the skill. */
export type SkillFiles = Readonly<Record<string, string>> | ((path: string) => Promise<string>);

/** The highest number of characters of a file that the model reads at once. */
const LONGEST = 50_000;

/** The highest number of paths in an error. */
const MOST_PATHS = 50;

const parameters = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: 'The path of the file in the folder of the skill: references/style.md',
    },
  },
  required: ['path'],
  additionalProperties: false,
} as const;

/** Returns the tool by which the model reads the files of a skill, and no other files. */
export function readFileTool(skill: string, files: SkillFiles): Tool {
  const read = typeof files === 'function' ? files : undefined;
  const texts = read === undefined ? new Map(Object.entries(files)) : null;
  return defineTool({
    name: 'read_file',
    title: 'Read a file of the skill',
    description: `Reads a file that the instructions of ${skill} name.`,
    parameters,
    capabilities: ['readOnly'],
    execute: async ({ path: given }) => {
      const path = given.replace(/^(\.\/)+/, '');
      const text = texts?.get(path);
      if (text === undefined && !isInside(path))
        return failed(`${JSON.stringify(given)} is no path in the folder of the skill.`);
      if (texts === null) return shortened(await read!(path));
      if (text === undefined) return failed(`There is no file "${given}". ${listOf([...texts.keys()])}`);
      return shortened(text);
    },
  }) as Tool;
}

/**
 * Returns true for a relative path that does not leave its folder. A character that a URL leaves out, or gives a meaning, could make another
 * path of it.
 */
function isInside(path: string): boolean {
  const steps = path.split('/').map((step) => step.trim());
  return (
    !/[\\:?#%\p{Cc}\p{Cf}]/u.test(path) && steps.every((step) => step !== '' && step !== '.' && step !== '..')
  );
}

function shortened(text: string): string {
  if (typeof text !== 'string') throw new TypeError(`The file is ${typeof text}, not a text.`);
  return text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}\n[The first ${LONGEST} of ${text.length} characters. The rest was left out.]`;
}

function listOf(paths: readonly string[]): string {
  const more = paths.length > MOST_PATHS ? `, and ${paths.length - MOST_PATHS} more` : '';
  return `Files: ${paths.slice(0, MOST_PATHS).join(', ') || 'none'}${more}.`;
}
