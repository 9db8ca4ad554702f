import { isMistyped, nearestTitles } from '../board/nearest-titles.js';

/** Shown where nothing is near. */
const usual = ['Plan the launch week', 'Show the board as a table', 'Tidy up Done'];

const ADD = [
  'add',
  'create',
  'make',
  'write',
  'new',
  'need',
  'remember',
  'remind',
  'buy',
  'note',
  'task',
  'card',
  'todo',
];
const DELETE = ['delete', 'remove', 'clear', 'empty', 'erase', 'wipe', 'drop', 'trash'];
const MOVE = ['move', 'put', 'drag', 'finish', 'complete', 'start', 'begin', 'finished'];
const RENAME = ['rename', 'change', 'edit', 'call', 'retitle'];
const PUBLISH = ['publish', 'share', 'post'];
const PLAN = ['plan', 'launch', 'organize', 'organise', 'prepare', 'week'];
const LOOK = ['show', 'list', 'what', 'which', 'see', 'where', 'board', 'table', 'columns'];
const TIDY = ['tidy', 'clean', 'sort'];

/** Three commands that are near to a text that was not understood, the nearest first. Each is one that the rules understand. */
export function nearestCommands(text: string, titles: readonly string[]): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const has = (verbs: readonly string[]): boolean =>
    words.some((word) => verbs.some((verb) => verb === word || isMistyped(word, verb)));
  const [card] = nearestTitles(text, titles);
  const column = /\b(todo|to do|doing|done)\b/i.exec(text)?.[1]?.toLowerCase().replace(' ', '');
  const place = column && `${column.charAt(0).toUpperCase()}${column.slice(1)}`;
  const isForbidden = /n[’']t\b|\b(?:not|never|no|without)\b/i.test(text);
  const near = [
    ...(card !== undefined && has(DELETE) && !isForbidden ? [`Delete “${card}”`] : []),
    ...(card !== undefined && has(RENAME) ? [`Rename “${card}” to “${card}, soon”`] : []),
    ...(card !== undefined ? [`Move “${card}” to ${place ?? 'Doing'}`] : []),
    ...(has(DELETE) && !isForbidden ? [`Clear ${place ?? 'Done'}`] : []),
    ...(has(ADD) ? [`Add a card “${titleIn(text)}” to ${place ?? 'Todo'}`] : []),
    ...(has(MOVE) ? ['Move everything from Doing to Done'] : []),
    ...(has(PUBLISH) ? ['Publish the board'] : []),
    ...(has(PLAN) ? ['Plan the launch week'] : []),
    ...(has(TIDY) ? [`Tidy up ${place ?? 'Done'}`] : []),
    ...(has(LOOK) ? ['Show the board as a table'] : []),
  ];
  return [...new Set([...near, ...usual])].slice(0, 3);
}

/** What is left of a text as the title of a card. */
function titleIn(text: string): string {
  const rest = text
    .trim()
    .replace(/^(?:please\s+|can you\s+|could you\s+)*(?:add|ad|create|make|write|new)\s+/i, '')
    .replace(/["“”„\n]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[.!?\s]+$/, '')
    .trim();
  return rest === '' ? 'New' : rest.slice(0, 60).trim();
}
