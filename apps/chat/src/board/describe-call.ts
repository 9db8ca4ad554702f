import type { JsonObject, JsonValue, ToolCallView } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { prepareReleaseId } from '../release/release-domain.js';
import { carryOutId } from '../release/release-planning.js';
import { audienceWords } from './audience-words.js';
import { cancelTaskId, listTasksId, startTaskId, taskResultId } from '../tasks/task-tools.js';
import { columnNamed, type Columns } from './board.js';
import type { BoardStore } from './board-store.js';
import { detailNames, detailsIn, detailWords, partWords } from './card-details.js';

/** Describes a call for the user, from the arguments that it runs with. */
export type DescribeCall = (call: Pick<ToolCallView, 'tool' | 'arguments' | 'ranWith'>) => string;

/** Describes for the user what a call will do, or would have done. Also reads half-written arguments. */
export function describeCall(board: BoardStore, tool: string, args: JsonValue | undefined): string {
  const given = isJsonObject(args) ? args : {};
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const quoted = (value: string | undefined): string => (value === undefined ? 'a card' : `“${value}”`);
  const card = quoted(board.find(text('card') ?? '')?.card.title ?? text('card'));
  const isHalfWritten = isHalfOfColumn(board.columns.peek(), text('column') ?? '');
  const column = isHalfWritten ? undefined : text('column');
  switch (tool) {
    case 'board.list_cards':
      return column ? `Look at ${column}` : 'Look at the board';
    case 'board.add_card':
      return `Add ${quoted(text('title'))} to ${column ?? 'a column'}`;
    case 'board.edit_card':
      return editWords(card, given, text('title'));
    case 'board.move_card':
      return `Move ${card} to ${column ?? '…'}`;
    case 'board.delete_card':
      return `Delete ${card}`;
    case 'board.clear_column':
      return `Delete all cards in ${column ?? 'a column'}`;
    case 'board.publish_board':
      return `Publish the board for ${audienceWords(text('audience') ?? '')}`;
    case 'banister.use_domain':
      return `Read the skill ${listOf(given['ids'])}`;
    case 'banister.list_domains':
      return 'Look at the skills';
    case carryOutId:
      return `Plan “${text('title') ?? '…'}”`;
    case prepareReleaseId:
      return `Prepare release ${text('release') ?? '…'}`;
    case startTaskId:
      return `In the background: ${text('title') ?? '…'}`;
    case listTasksId:
    case taskResultId:
      return 'Look at the tasks';
    case cancelTaskId:
      return 'Stop a task';
    default:
      return tool;
  }
}

function listOf(ids: JsonValue | undefined): string {
  return (Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []).join(', ') || '…';
}

function editWords(card: string, args: JsonObject, title: string | undefined): string {
  const empty = Array.isArray(args['clear']) ? args['clear'] : [];
  const details = [
    detailWords(detailsIn(args)),
    ...detailNames.filter((name) => empty.includes(name)).map((name) => partWords({}, name)),
  ].filter((words) => words !== '');
  if (details.length === 0) return `Rename ${card} to ${title ? `“${title}”` : '…'}`;
  return `Edit ${card}: ${[...(title ? [`“${title}”`] : []), ...details].join(', ')}`;
}

/** Returns whether a name is the beginning of a column's name, but not a column's whole name. */
function isHalfOfColumn(columns: Columns, name: string): boolean {
  const start = name.toLowerCase();
  return (
    columnNamed(columns, name) === undefined &&
    columns.some(({ title }) => title.toLowerCase().startsWith(start))
  );
}
