import type { JsonObject } from '@banister/session';
import { isJsonObject, type ToolResult } from '@banister/provider';
import { detailNames, detailsIn, detailTitles, detailWords, partWords } from '../board/card-details.js';
import type { Outcome } from './step.js';

export interface ListedCard {
  readonly title: string;
  readonly column: string;
  /** The owner, due date, label and estimate in words, if the list has them; empty if the card has none. */
  readonly details?: string;
}

/** The cards that `list_cards` found. */
export function listedCards(outcomes: readonly Outcome[]): readonly ListedCard[] {
  return outcomes
    .flatMap(({ result }) => result.content)
    .flatMap((part) => (part.type === 'json' ? readCards(part.value) : []));
}

/** Returns the cards in a list of any values. */
export function readCards(list: unknown): readonly ListedCard[] {
  return (Array.isArray(list) ? (list as unknown[]) : []).flatMap((card) =>
    isJsonObject(card) && typeof card.title === 'string' && typeof card.column === 'string'
      ? [{ title: card.title, column: card.column, details: detailWords(detailsIn(card)) }]
      : [],
  );
}

/**
 * Returns the outcomes of the calls in a few sentences: done, done with changes by the user, and not done.
 */
export function tellOutcomes(outcomes: readonly Outcome[]): string {
  const done = outcomes.filter(({ result }) => result.outcome === 'success');
  const groups = groupedByVerb(done);
  const sentences = [...groups].map(
    ([verb, group]) => `${verb} ${sequence(group.map(objectOf))}${tail(group)}.`,
  );
  if (done.some(({ call }) => call.ranWith !== undefined)) {
    sentences.push('You changed the arguments first, and that is what ran.');
  }
  const rest = outcomes.filter(({ result }) => result.outcome !== 'success').map(refusalOf);
  return [...sentences, ...new Set(rest)].join(' ') || 'There was nothing to do.';
}

function groupedByVerb(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly Outcome[]> {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes) {
    const verb = verbOf(outcome);
    groups.set(verb, [...(groups.get(verb) ?? []), outcome]);
  }
  return groups;
}

const verbs: Readonly<Record<string, string>> = {
  'board.add_card': 'Added',
  'board.edit_card': 'Renamed',
  'board.move_card': 'Moved',
  'board.delete_card': 'Deleted',
  'board.clear_column': 'Cleared',
  'board.publish_board': 'Published',
  'plan.carry_out': 'Carried out',
  'release.prepare': 'Prepared',
  'tasks.start': 'Started',
  'memory.remember': 'Remembered',
  'memory.forget': 'Forgot',
};

function verbOf({ call }: Outcome): string {
  if (call.tool === 'board.edit_card' && argumentsOf(call).title === undefined) return 'Edited';
  return verbs[call.tool] ?? 'Finished';
}

function objectOf({ call }: Outcome): string {
  const args = argumentsOf(call);
  switch (call.tool) {
    case 'board.add_card':
      return quote(args.title);
    case 'board.edit_card':
      return args.title === undefined
        ? `${quote(args.card)} (${detailsOf(args)})`
        : `${quote(args.card)} to ${quote(args.title)}`;
    case 'board.clear_column':
      return String(args.column);
    case 'plan.carry_out':
      return `the plan ${quote(args.title)}`;
    case 'tasks.start':
      return quote(args.title);
    case 'memory.remember':
      return quote(args.text);
    case 'memory.forget':
      return 'a fact';
    case 'release.prepare':
      return `release ${String(args.release)}`;
    case 'board.publish_board':
      return `the board for ${args.audience === 'everyone' ? 'everyone' : 'the team'}`;
    default:
      return quote(args.card);
  }
}

/** "owner Ana", "no due date". */
function detailsOf(args: JsonObject): string {
  const given = detailsIn(args);
  const cleared: readonly unknown[] = Array.isArray(args.clear) ? args.clear : [];
  return detailNames
    .flatMap((name) => {
      const title = detailTitles[name].toLowerCase();
      if (cleared.includes(name)) return `no ${title}`;
      if (given[name] === undefined) return [];
      return name === 'owner' || name === 'label' ? `${title} ${given[name]}` : partWords(given, name);
    })
    .join(', ')
    .replace(/^Due/, 'due');
}

/** Returns the destination, which is said once if it is the same for all calls. */
function tail(group: readonly Outcome[]): string {
  const columns = new Set(group.map(({ call }) => argumentsOf(call).column));
  const [column] = columns;
  const moves = group.every(({ call }) => call.tool === 'board.add_card' || call.tool === 'board.move_card');
  return moves && columns.size === 1 && typeof column === 'string' ? ` to ${column}` : '';
}

function refusalOf({ call, result }: Outcome): string {
  const what = quote(
    argumentsOf(call).card ?? argumentsOf(call).title ?? argumentsOf(call).column ?? 'The board',
  );
  const text = textIn(result);
  if (/declined/.test(text) && call.tool === 'board.publish_board')
    return 'You said no about publishing the board, so I did not.';
  if (/declined/.test(text)) return `You said no about ${what}, so I left it as it was.`;
  if (/did not answer in time/.test(text))
    return `There was no answer about ${what}, so I left it as it was.`;
  if (/is not allowed here/.test(text)) return 'Now I am only allowed to look, and not to change anything.';
  if (result.outcome === 'interrupted')
    return `The page was left while I was at ${what}, so please look whether that happened.`;
  if (result.outcome === 'conflict')
    return `You changed ${what} while I was at it, so I left your edit alone.`;
  return forPeople(text) || `${what} did not work.`;
}

/**
 * Returns the sentences of a result that are meant for the user, without sentences about tools or
 * instructions to the model.
 */
function forPeople(text: string): string {
  return text
    .replace(/^board\.\w+ was denied: /, '')
    .split(/(?<=[.”])\s+/)
    .filter((sentence) => !/\b(?:board|banister)\.\w|revision|^(?:Call|Look|Check|Ask|Try)\b/.test(sentence))
    .join(' ');
}

function argumentsOf({ arguments: args, ranWith }: Outcome['call']): JsonObject {
  return ranWith ?? args ?? {};
}

function textIn({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ');
}

function quote(value: unknown): string {
  return `“${String(value)}”`;
}

function sequence(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
