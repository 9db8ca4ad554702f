import type { Cards, Command } from './command.js';
import { detailCommand } from './read-detail.js';
import { cardTitles } from './invent-titles.js';
import { meantCards } from './meant-cards.js';
import { listedCards, tellOutcomes, type ListedCard } from './tell-outcomes.js';
import { call, type Plan, type PlannedCall } from './step.js';

export function* addPlan(titles: readonly string[], column: string): Plan {
  const outcomes = yield {
    thinking: `They want ${titles.length === 1 ? 'a card' : `${titles.length} cards`} in ${column}. I have all I need.`,
    text: titles.length === 1 ? 'One moment.' : `I will add ${titles.length} cards to ${column}.`,
    calls: titles.map((title) => call('add_card', { column, title })),
  };
  return tellOutcomes(outcomes);
}

export function* inventPlan({ count, topic, column }: Extract<Command, { type: 'invent' }>): Plan {
  const titles = cardTitles(count, topic);
  const outcomes = yield {
    thinking: `They ask for ${count} ${count === 1 ? 'card' : 'cards'}${topic ? ` about ${topic}` : ''} without titles, so I make some up. Short ones, each something that one person can finish.`,
    text: `Here ${count === 1 ? 'is an idea' : `are ${count} ideas`}${topic ? ` about ${topic}` : ''}.`,
    calls: titles.map((title) => call('add_card', { column, title })),
  };
  return tellOutcomes(outcomes);
}

export function* clearPlan(column: string): Plan {
  const outcomes = yield {
    thinking: `Clearing ${column} deletes cards, so I will be asked to wait for a confirmation.`,
    text: `I would like to clear ${column}. Please have a look first.`,
    calls: [call('clear_column', { column })],
  };
  return tellOutcomes(outcomes);
}

/** @param isByDetail whether the question is about details of cards */
export function* listPlan(isByDetail: boolean): Plan {
  const outcomes = yield {
    thinking: 'I only have to read.',
    text: 'Let me look.',
    calls: [call('list_cards', {})],
  };
  const cards = listedCards(outcomes);
  if (cards.length === 0) return 'The board is empty.';
  const columns = ['Todo', 'Doing', 'Done'].map((column) => [column, inColumn(cards, column)] as const);
  if (isByDetail) return detailedList(columns);
  return columns
    .map(([column, there]) => `${column}: ${there.map(({ title }) => `“${title}”`).join(', ') || 'nothing'}.`)
    .join('\n');
}

/** Returns every card with its details, a line each. */
function detailedList(columns: readonly (readonly [column: string, cards: readonly ListedCard[]])[]): string {
  const parts = columns.map(([column, there]) =>
    [`${column}:`, ...there.map(({ title, details }) => `• “${title}”: ${details || 'nothing'}`)].join('\n'),
  );
  return ['I cannot choose among cards by their details, so here are all of them.', ...parts].join('\n\n');
}

export function* publishPlan(audience: 'team' | 'everyone'): Plan {
  const outcomes = yield {
    thinking: 'Publishing costs money and cannot be undone. The user has to agree first.',
    text: 'Publishing costs a little and cannot be undone, so I ask first.',
    calls: [call('publish_board', { audience })],
  };
  return tellOutcomes(outcomes);
}

type CardsCommand = Extract<Command, { type: 'move' | 'rename' | 'delete' | 'detail' }>;

export function callsCards(command: Command): command is CardsCommand {
  return ['move', 'rename', 'delete', 'detail'].includes(command.type);
}

/** Returns a command as a message that names its card. */
export function commandWords(command: CardsCommand, title: string): string {
  switch (command.type) {
    case 'move':
      return `Move “${title}” to ${command.column}`;
    case 'rename':
      return `Rename “${title}” to “${command.title}”`;
    case 'delete':
      return `Delete “${title}”`;
    case 'detail':
      return detailCommand(`“${title}”`, command.details);
  }
}

/** @param column the title of a column; null for all columns */
export function inColumn(cards: readonly ListedCard[], column: string | null): readonly ListedCard[] {
  return cards.filter((card) => column === null || card.column === column);
}

/** Acts on cards. If the command does not name the cards, lists the board first. */
export function* cardsPlan(command: CardsCommand, selected: string | null): Plan {
  const { cards } = command;
  if (cards.by === 'selection' && selected === null) {
    return 'No card is selected. Click one on the board, or name it.';
  }
  let titles: readonly string[] = cards.by === 'title' ? cards.titles : [selected ?? ''];
  if (cards.by === 'column') {
    const looked = yield {
      thinking: `I have to know what is in ${cards.column} before I touch anything.`,
      text: `Let me see what is in ${cards.column}.`,
      calls: [call('list_cards', { column: cards.column })],
    };
    titles = chosen(listedCards(looked), cards);
    if (titles.length === 0) return `There is nothing in ${cards.column}.`;
  }
  if (cards.by === 'words') {
    const looked = yield {
      thinking: 'They name no title as it stands on a card, so I look which one they mean.',
      text: 'Let me look.',
      calls: [call('list_cards', cards.column === null ? {} : { column: cards.column })],
    };
    const meant = meantCards(cards.words, listedCards(looked));
    if (meant.kind === 'several') return `“${cards.words}” may be ${quotedOr(meant.titles)}. Which one?`;
    if (meant.kind === 'none')
      return `I found no card like “${meant.words}”, and changed nothing.${meant.nearest.length === 0 ? '' : ` Did you mean ${quotedOr(meant.nearest)}?`}`;
    titles = meant.titles;
  }
  const outcomes = yield {
    text: announcement(command, titles),
    calls: titles.map((title) => callFor(command, title)),
  };
  return tellOutcomes(outcomes);
}

/** Returns titles in words: "“A”, “B” or “C”" */
function quotedOr(titles: readonly string[]): string {
  const all = titles.map((title) => `“${title}”`);
  return [all.slice(0, -1).join(', '), all.at(-1)].filter(Boolean).join(' or ');
}

function chosen(
  listed: readonly ListedCard[],
  { count, from }: Extract<Cards, { by: 'column' }>,
): readonly string[] {
  const titles = listed.map(({ title }) => title);
  // A turn may start twelve calls, and one call has listed the cards.
  const most = Math.min(count === 'all' ? titles.length : count, 8);
  return from === 'end' ? titles.slice(-most) : titles.slice(0, most);
}

function callFor(command: CardsCommand, card: string): PlannedCall {
  switch (command.type) {
    case 'move':
      return call('move_card', { card, column: command.column });
    case 'rename':
      return call('edit_card', { card, title: command.title });
    case 'delete':
      return call('delete_card', { card });
    case 'detail':
      return call('edit_card', { card, ...command.details });
  }
}

function announcement({ type }: CardsCommand, titles: readonly string[]): string {
  if (type !== 'delete') return titles.length === 1 ? 'Right away.' : `That is ${titles.length} cards.`;
  return titles.length === 1
    ? 'I would like to delete a card. It is up to you.'
    : `I would like to delete ${titles.length} cards. You decide about each.`;
}
