import {
  addCard,
  clearColumn,
  deleteCard,
  editCard,
  listCards,
  moveCard,
  publishBoard,
} from '../board/board-tools.js';
import { prepareRelease, prepareReleaseId } from '../release/release-domain.js';
import { forgetId, rememberId, searchId } from '../memory/memory-words.js';
import { cancelTaskId, listTasksId, startTaskId, taskResultId } from '../tasks/task-tools.js';
import { carryOutId } from '../release/release-planning.js';

interface Verbs {
  /** Shown while a call runs. */
  readonly doing: string;
  /** Shown after a number of changes. */
  readonly done: string;
}

interface KnownTool extends Verbs {
  readonly title: string;
  /** The word on the button that approves a call. Default: the first word of the title. */
  readonly verb?: string;
  /** Whether calls destroy or cost something different each time. */
  readonly isGrave?: true;
}

const tools: Readonly<Record<string, KnownTool>> = {
  [`board.${listCards.name}`]: { title: listCards.title, doing: 'Looking at the board', done: 'looked at' },
  [`board.${addCard.name}`]: { title: addCard.title, doing: 'Adding cards', done: 'added' },
  [`board.${editCard.name}`]: { title: editCard.title, doing: 'Editing cards', done: 'edited' },
  [`board.${moveCard.name}`]: { title: moveCard.title, doing: 'Moving cards', done: 'moved' },
  [`board.${deleteCard.name}`]: {
    title: deleteCard.title,
    doing: 'Deleting cards',
    done: 'deleted',
    isGrave: true,
  },
  [`board.${clearColumn.name}`]: {
    title: clearColumn.title,
    doing: 'Deleting cards',
    done: 'emptied',
    isGrave: true,
  },
  [`board.${publishBoard.name}`]: {
    title: publishBoard.title,
    doing: 'Publishing the board',
    done: 'published',
    isGrave: true,
  },
  [carryOutId]: {
    title: 'Carry out a plan',
    verb: 'Approve plan',
    doing: 'Carrying out the plan',
    done: 'carried out',
  },
  [startTaskId]: { title: 'Start a task', doing: 'Starting a task', done: 'started' },
  [cancelTaskId]: { title: 'Stop a task', doing: 'Stopping a task', done: 'stopped', isGrave: true },
  [rememberId]: { title: 'Remember a fact', doing: 'Remembering', done: 'remembered' },
  [forgetId]: { title: 'Forget a fact', doing: 'Forgetting', done: 'forgotten' },
  [searchId]: { title: 'Search facts', doing: 'Looking at what is remembered', done: 'looked at' },
  [prepareReleaseId]: { title: prepareRelease.title, doing: 'Preparing the release', done: 'prepared' },
};

/** Returns the verbs for descriptions of a tool's calls. */
export function verbsOf(tool: string): Verbs {
  return tools[tool] ?? { doing: 'Working', done: 'changed' };
}

/** Returns the title of a tool: "Move a card". */
export function titleOfTool(tool: string): string {
  return tools[tool]?.title ?? tool;
}

/** Returns the word on the button that approves a call: "Move". */
export function verbOfTool(tool: string): string {
  const known = tools[tool];
  return known?.verb ?? known?.title.split(' ')[0] ?? 'Approve';
}

/**
 * Returns whether calls of a tool must be approved one by one, because each costs or destroys something
 * different.
 */
export function isGraveTool(tool: string): boolean {
  return tools[tool]?.isGrave === true;
}

const readingTools: ReadonlySet<string> = new Set([
  `board.${listCards.name}`,
  searchId,
  listTasksId,
  taskResultId,
  'banister.read_context',
  'banister.list_domains',
  'banister.use_domain',
]);

/** Returns whether a tool only reads. */
export function isReading(tool: string): boolean {
  return readingTools.has(tool);
}
