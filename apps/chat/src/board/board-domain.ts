import {
  conflict,
  defineDomain,
  defineTool,
  failed,
  type Domain,
  type EffectData,
  type RevertByData,
  type Revision,
  type ToolContext,
  type ToolOutcome,
} from '@handrail/session';
import { cardsOf, columnNamed, columnTitle, type Column, type PlacedCard } from './board.js';
import { inverseOf, isMade, type BoardChange } from './board-change.js';
import type { BoardStore } from './board-store.js';
import { newCardId } from './new-card-id.js';

/** The longest time until a change of the pace counts, in milliseconds. */
const SLICE_MS = 50;

/** How long the work takes, in milliseconds. Long enough to be seen, so that there is something to stop. */
export interface BoardPace {
  readonly change: number;
  readonly publish: number;
}

const column = {
  type: 'string',
  enum: ['Todo', 'Doing', 'Done'],
  description: 'The title of a column.',
} as const;
const card = { type: 'string', minLength: 1, description: 'A card: its id, or its exact title.' } as const;
const title = { type: 'string', minLength: 1, maxLength: 120 } as const;

/** The context of a tool whose effects are changes of the board. */
type ChangeContext = Omit<ToolContext, 'undo'> & { undo(entry: EffectData<BoardChange>): Promise<void> };

/** The board, as an agent can act on it. Nothing else of the app is within its reach. */
export function createBoardDomain(board: BoardStore, pace: BoardPace): Domain {
  /** Both directions return a conflict where they would overwrite an edit of the user. */
  const undo: RevertByData<BoardChange> = {
    revert: (change, { revision }) => makeAgain(inverseOf(change), revision),
    reapply: (change, { revision }) => makeAgain(change, revision),
  };

  const listCards = defineTool({
    name: 'list_cards',
    description: 'Lists the cards of the board, or of one column.',
    capabilities: ['readOnly'],
    parameters: { type: 'object', properties: { column }, additionalProperties: false },
    async execute(args, { signal }) {
      await work(() => pace.change / 2, signal);
      const columns = board.columns.peek();
      const only = args.column === undefined ? undefined : columnNamed(columns, args.column);
      return cardsOf(only ? [only] : columns).map(({ card: { id, title }, place }) => ({
        id,
        title,
        column: columnTitle(columns, place.column),
      }));
    },
  });

  const addCard = defineTool({
    name: 'add_card',
    description: 'Adds a card at the end of a column.',
    parameters: {
      type: 'object',
      properties: { column, title },
      required: ['column', 'title'],
      additionalProperties: false,
    },
    undo,
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      const target = columnOf(args.column);
      const added = { id: newCardId(), title: args.title };
      await make(context, `Added “${args.title}” to ${target.title}`, {
        type: 'add',
        card: added,
        at: { column: target.id, index: target.cards.length },
      });
      return { id: added.id, title: added.title, column: target.title };
    },
  });

  const editCard = defineTool({
    name: 'edit_card',
    description: 'Changes the title of a card.',
    parameters: {
      type: 'object',
      properties: { card, title },
      required: ['card', 'title'],
      additionalProperties: false,
    },
    undo,
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, async ({ card: { id, title: from } }) => {
        const fits = await make(context, `Renamed “${from}” to “${args.title}”`, {
          type: 'rename',
          cardId: id,
          from,
          to: args.title,
        });
        return fits ? { id, title: args.title } : doesNotFit();
      });
    },
  });

  const moveCard = defineTool({
    name: 'move_card',
    description: 'Moves a card to the end of another column.',
    parameters: {
      type: 'object',
      properties: { card, column },
      required: ['card', 'column'],
      additionalProperties: false,
    },
    undo,
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, async ({ card: { id, title }, place }) => {
        const target = columnOf(args.column);
        if (target.id === place.column) return failed(`“${title}” is in ${target.title} already.`);
        const fits = await make(context, `Moved “${title}” to ${target.title}`, {
          type: 'move',
          cardId: id,
          from: place,
          to: { column: target.id, index: target.cards.length },
        });
        return fits ? { id, title, column: target.title } : doesNotFit();
      });
    },
  });

  const deleteCard = defineTool({
    name: 'delete_card',
    description: 'Deletes a card.',
    capabilities: ['destructive'],
    parameters: { type: 'object', properties: { card }, required: ['card'], additionalProperties: false },
    undo,
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, async ({ card: found, place }) => {
        const change = { type: 'remove', card: found, at: place } as const;
        return (await make(context, `Deleted “${found.title}”`, change))
          ? { deleted: found.title }
          : doesNotFit();
      });
    },
  });

  const clearColumn = defineTool({
    name: 'clear_column',
    description: 'Deletes all cards of a column.',
    capabilities: ['destructive'],
    parameters: { type: 'object', properties: { column }, required: ['column'], additionalProperties: false },
    undo,
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      const { id, title, cards } = columnOf(args.column);
      const changed = changedMeanwhile(id, context);
      if (changed) return changed;
      // From the last card to the first, so that each recorded place is right when the cards are put back in reverse.
      const removals = [...cards.entries()].reverse().map(([index, found]) =>
        make(context, `Deleted “${found.title}”`, {
          type: 'remove',
          card: found,
          at: { column: id, index },
        }),
      );
      if (!(await Promise.all(removals)).every(Boolean)) return doesNotFit();
      return { column: title, deleted: cards.map((found) => found.title) };
    },
  });

  const publishBoard = defineTool({
    name: 'publish_board',
    description: 'Publishes the board on the web. Costs money and cannot be taken back.',
    capabilities: ['networking', 'paid'],
    irreversible: true,
    parameters: {
      type: 'object',
      properties: { audience: { type: 'string', enum: ['team', 'everyone'] } },
      required: ['audience'],
      additionalProperties: false,
    },
    async execute({ audience }, { signal, progress, irreversible }) {
      const total = cardsOf(board.columns.peek()).length;
      const steps = Math.max(total, 1);
      for (let done = 1; done <= steps; done++) {
        await work(() => pace.publish / steps, signal);
        progress({ done: Math.min(done, total), total });
      }
      board.publish({ at: Date.now(), audience });
      irreversible(`Published the board for ${audience === 'team' ? 'the team' : 'everyone'}`);
      return { published: total, audience };
    },
  });

  return defineDomain({
    id: 'board',
    version: '1',
    summary: 'A board of cards in the columns Todo, Doing and Done.',
    tools: [listCards, addCard, editCard, moveCard, deleteCard, clearColumn, publishBoard],
    revision: board.revision,
  });

  /**
   * Records a change, then makes it: a page that is closed between the two leaves a record of a change that was not made, which
   * can be taken back like any other.
   */
  async function make(context: ChangeContext, description: string, change: BoardChange): Promise<boolean> {
    await context.undo({ description, data: change });
    return board.apply(change, 'agent');
  }

  function doesNotFit(): ToolOutcome {
    return failed('The board was changed at that moment. Call board.list_cards to see what there is.');
  }

  /** A change that the board has already is done: a page that was closed may have made it, or never have made the first one. */
  function makeAgain(change: BoardChange, expected: Revision): ToolOutcome | undefined {
    board.refresh();
    if (isMade(board.columns.peek(), change) || board.apply(change, 'agent')) return undefined;
    return conflict(expected ?? '', board.revision());
  }

  /** Acts on a card as the model knows it. */
  function withCard<T>(
    reference: string,
    context: ChangeContext,
    act: (found: PlacedCard) => T,
  ): T | ToolOutcome {
    const found = board.find(reference);
    if (!found) return failed(`There is no card “${reference}”. Call board.list_cards to see what there is.`);
    return changedMeanwhile(found.card.id, context) ?? act(found);
  }

  /** A conflict, when the user changed this card or column after the model last saw the board. */
  function changedMeanwhile(key: string, { revision }: ChangeContext): ToolOutcome | undefined {
    board.refresh();
    const expected = typeof revision === 'string' ? revision : board.revision();
    const changed = board.userChangeSince(key, expected);
    return changed === undefined ? undefined : conflict(expected, changed);
  }

  function columnOf(name: string): Column {
    const found = columnNamed(board.columns.peek(), name);
    if (!found) throw new Error(`There is no column “${name}”.`);
    return found;
  }
}

/** Works as long as the pace asks, which is read again and again: it may change meanwhile. Rejects as `wait` does. */
async function work(ms: () => number, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let left = ms(); left > 0; left = ms() - (performance.now() - began))
    await wait(Math.min(left, SLICE_MS), signal);
}

/** Waits; rejects as soon as the call is cut, so that the tool does nothing afterwards. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = () => {
      clearTimeout(timer);
      reject(new Error('Cut before it did anything.'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cut);
      resolve();
    }, ms);
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
  });
}
