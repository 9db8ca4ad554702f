import { owners } from '../board/card-details.js';
import { isMistyped, nearestTitles, wordsOf } from '../board/nearest-titles.js';
import { QUOTED, quoted } from './quoted.js';
import { stripped } from './stripped.js';

/** Offered if no other command is near. */
const LOOK_AT = 'Show the board as a table';
const usual = ['Plan the launch week', LOOK_AT, 'Tidy up Done'];

const ADD = ['add', 'create', 'make', 'write', 'new', 'need', 'remember', 'remind', 'buy', 'note'];
const THING = ['task', 'card', 'todo'];
const DELETE = ['delete', 'remove', 'clear', 'empty', 'erase', 'wipe', 'drop', 'trash'];
const MOVE = ['move', 'put', 'drag', 'finish', 'complete', 'start', 'begin', 'finished'];
const RENAME = ['rename', 'change', 'edit', 'call', 'retitle'];
const OWNER = ['assign', 'owner', 'assignee', 'give', 'reassign'];
const DUE = ['due', 'deadline', 'date', 'until'];
const LABEL = ['label', 'tag'];
const ESTIMATE = ['estimate', 'days', 'effort', 'points'];
const PUBLISH = ['publish', 'share', 'post'];
const PLAN = ['plan', 'launch', 'organize', 'organise', 'prepare', 'week'];
const LOOK = [
  'show',
  'list',
  'what',
  'which',
  'who',
  'when',
  'how',
  'see',
  'where',
  'board',
  'table',
  'columns',
];
const TIDY = ['tidy', 'clean', 'sort'];

const VERBS = new Set([ADD, DELETE, MOVE, RENAME, OWNER, LABEL, ESTIMATE, PUBLISH, PLAN, LOOK, TIDY].flat());

/**
 * Returns three commands that are near to a text that was not understood, the nearest first. The rules
 * understand each of them.
 */
export function nearestCommands(text: string, titles: readonly string[]): readonly string[] {
  const words = wordsOf(text);
  // The verb of a command is not a mistyped word of a title: "give" is not "five".
  const [card] = nearestTitles(words.filter((word) => !VERBS.has(word)).join(' '), titles);
  const spoken = wordsOf(text.replace(QUOTED, ' ')).filter((word) => !wordsOf(card ?? '').includes(word));
  // Only the first word is taken for a mistyped verb. A later "take" may be meant literally.
  const [first = ''] = wordsOf(stripped(text));
  const has = (verbs: readonly string[]): boolean =>
    verbs.some((verb) => spoken.includes(verb) || isMistyped(first, verb));
  const begins = (verbs: readonly string[]): boolean =>
    verbs.some((verb) => verb === first || isMistyped(first, verb));
  const column = /\b(todo|to do|doing|done)\b/i.exec(text)?.[1]?.toLowerCase().replace(' ', '');
  const place = column && `${column.charAt(0).toUpperCase()}${column.slice(1)}`;
  const named = owners.filter((owner) => spoken.includes(owner.toLowerCase()));
  const isOfDetail = /\b(?:own|assign|due\b|date|deadline|label|tag|estimate|days?\b)/i.test(
    spoken.join(' '),
  );
  const isOfColumn = place !== undefined || /\b(?:cards?|tasks?|all|everything|columns?|board)\b/i.test(text);
  // Nothing that a text forbids is offered. "No" at its beginning corrects the previous message.
  if (/n[’']t\b|\b(?:not|never|without)\b|\S\s+no\b/i.test(text)) return usual.slice(0, 2).toReversed();
  const isQuestion = /^(?:who|whose|what|when|where|which|how|why|is|are|was|does|do|did)\b/i.test(
    text.trim(),
  );
  const near = [
    ...(isQuestion ? [LOOK_AT] : []),
    ...(card !== undefined && has(DELETE) && !/\b(?:from|off)\b/i.test(text) ? [`Delete “${card}”`] : []),
    ...(card !== undefined && has(RENAME) && !isOfDetail
      ? [`Rename “${card}” to “${newTitle(text, card)}”`]
      : []),
    ...(card !== undefined && (has(OWNER) || named.length === 1)
      ? [`Assign “${card}” to ${named.length === 1 ? named[0] : owners[0]}`]
      : []),
    ...(card !== undefined && has(DUE) ? [`Make “${card}” due tomorrow`] : []),
    ...(card !== undefined && has(LABEL) ? [`Label “${card}” as Design`] : []),
    ...(card !== undefined && has(ESTIMATE) ? [`Estimate “${card}” at 3 days`] : []),
    ...(card !== undefined ? [`Move “${card}” to ${place ?? 'Doing'}`] : []),
    ...(card === undefined && begins(DELETE) && isOfColumn && !isOfDetail
      ? [`Clear ${place ?? 'Done'}`]
      : []),
    ...(card === undefined && !isQuestion && (has(ADD) || (has(THING) && !VERBS.has(first)))
      ? [`Add a card “${titleIn(text)}” to ${place ?? 'Todo'}`]
      : []),
    ...(card === undefined && has(MOVE) ? ['Move everything from Doing to Done'] : []),
    ...(has(PUBLISH) ? ['Publish the board'] : []),
    ...(has(PLAN) ? ['Plan the launch week'] : []),
    ...(has(TIDY) ? [`Tidy up ${place ?? 'Done'}`] : []),
    ...(has(LOOK) ? [LOOK_AT] : []),
  ];
  return [...new Set([...near, ...usual])].slice(0, 3);
}

/** Returns the new title in quotation marks that a text gives a card, if there is one. */
function newTitle(text: string, card: string): string {
  return quoted(text).findLast((title) => title !== card) ?? `${card}, soon`;
}

/** Returns what is left of a text as the title of a card. */
function titleIn(text: string): string {
  const rest = stripped(text)
    .replace(/^(?:add|ad|create|make|write|new)\s+/i, '')
    .replace(/^(?:an?\s+|the\s+|new\s+)*(?:card|task)\s+(?=\S)/i, '')
    .replace(/["“”„\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[.!?\s]+$/, '')
    .trim();
  return rest === '' ? 'New' : rest.slice(0, 60).trim();
}
