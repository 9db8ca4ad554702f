import {
  conflict,
  defineDomain,
  defineTool,
  failed,
  type Domain,
  type JsonObject,
  type JsonValue,
  type ToolContext,
  type ToolOutcome,
} from '@banister/session';
import { audienceWords } from './audience-words.js';
import { cardsOf, columnNamed, columnTitle, type Column, type Place, type PlacedCard } from './board.js';
import type { BoardStore } from './board-store.js';
import { changedParts, detailsIn, editedCard } from './card-details.js';
import * as tools from './board-tools.js';
import { newCardId } from './new-card-id.js';
import { noSuchCard } from './no-such-card.js';
import { previewCall, previewedBoard } from './preview-call.js';
import { priceWords, publishingPrice } from './publishing-price.js';
import { undoableBoard } from './undoable-board.js';

/** The longest time, in milliseconds, until a change of the pace takes effect. */
const SLICE_MS = 50;

/** How long a tool takes, in milliseconds. It is long enough that the user sees it and can stop it. */
export interface BoardPace {
  readonly change: number;
  readonly publish: number;
}

/** Creates the domain with which an agent acts on the board. The agent reaches nothing else of the app. */
export function createBoardDomain(board: BoardStore, pace: BoardPace): Domain {
  const { wrap, make } = undoableBoard(board);

  const listCards = defineTool({
    ...tools.listCards,
    description: 'Lists the cards of the board, or of one column.',
    capabilities: ['readOnly'],
    async execute(args, { signal }) {
      await work(() => pace.change / 2, signal);
      const columns = board.columns.peek();
      const only = args.column === undefined ? undefined : columnNamed(columns, args.column);
      return cardsOf(only ? [only] : columns).map(({ card, place }) => ({
        ...card,
        column: columnTitle(columns, place.column),
      }));
    },
  });

  const addCard = defineTool({
    ...tools.addCard,
    preview: preview(tools.addCard),
    description:
      'Adds a card at the end of a column, with an owner, a due date, a label and an estimate where they are known.',
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      const target = columnOf(args.column);
      const added = { id: newCardId(), title: args.title, ...detailsIn(args) };
      make(context, { from: null, to: { card: added, place: endOf(target) } });
      return { ...added, column: target.title };
    },
  });

  const editCard = defineTool({
    ...tools.editCard,
    preview: preview(tools.editCard),
    description: 'Changes the title, owner, due date, label or estimate of a card. What is left out stays.',
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, (from) => {
        const card = editedCard(from.card, args);
        if (changedParts(from.card, card).length === 0) return failedFor(`“${card.title}” is so already.`);
        const fits = make(context, { from, to: { ...from, card } });
        return fits ? { ...card } : doesNotFit();
      });
    },
  });

  const moveCard = defineTool({
    ...tools.moveCard,
    preview: preview(tools.moveCard),
    description: 'Moves a card to the end of another column.',
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, (from) => {
        const target = columnOf(args.column);
        const { id, title } = from.card;
        if (target.id === from.place.column) return failedFor(`“${title}” is in ${target.title} already.`);
        const fits = make(context, { from, to: { ...from, place: endOf(target) } });
        return fits ? { id, title, column: target.title } : doesNotFit();
      });
    },
  });

  const deleteCard = defineTool({
    ...tools.deleteCard,
    preview: preview(tools.deleteCard),
    description: 'Deletes a card.',
    capabilities: ['destructive'],
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      return withCard(args.card, context, (from) =>
        make(context, { from, to: null }) ? { deleted: from.card.title } : doesNotFit(),
      );
    },
  });

  const clearColumn = defineTool({
    ...tools.clearColumn,
    preview: preview(tools.clearColumn),
    description: 'Deletes all cards of a column.',
    capabilities: ['destructive'],
    async execute(args, context) {
      await work(() => pace.change, context.signal);
      const { id, title, cards } = columnOf(args.column);
      const changed = changedMeanwhile(id, context);
      if (changed) return changed;
      if (cards.length === 0) return failedFor(`There is no card in ${title}.`);
      const all = cards.map((card, index): PlacedCard => ({ card, place: { column: id, index } }));
      // Removes from the last card to the first, so that an undo puts each card back before the next card.
      const made = all.toReversed().map((from) => make(context, { from, to: null }));
      if (!made.every(Boolean)) return doesNotFit();
      return { column: title, deleted: cards.map((found) => found.title) };
    },
  });

  const publishBoard = defineTool({
    ...tools.publishBoard,
    preview: preview(tools.publishBoard),
    description: 'Publishes the board on the web. Costs money and cannot be taken back.',
    capabilities: ['networking', 'paid'],
    irreversible: true,
    recover(_args, { idempotencyKey }) {
      board.refresh();
      const { call, audience } = board.publication.peek() ?? {};
      if (call === idempotencyKey) return { ran: { published: true, audience } };
      // A later publication has replaced the one in question.
      return audience === undefined ? 'not-run' : 'unknown';
    },
    async execute({ audience, on, mail }, { signal, progress, irreversible, idempotencyKey }) {
      const total = cardsOf(board.columns.peek()).length;
      const steps = Math.max(total, 1);
      for (let done = 1; done <= steps; done++) {
        await work(() => pace.publish / steps, signal);
        progress({ done: Math.min(done, total), total });
      }
      board.publish({
        at: Date.now(),
        audience,
        ...(on === undefined ? {} : { on }),
        call: idempotencyKey,
      });
      const readers = audienceWords(audience);
      const price = publishingPrice(total);
      irreversible(`Published the board for ${readers}, ${priceWords(price)}`);
      if (mail?.send) irreversible(`Sent a mail to ${readers}`);
      return {
        published: total,
        audience,
        ...(on === undefined ? {} : { on }),
        mailed: mail?.send === true,
        price: { ...price },
      };
    },
  });

  return defineDomain({
    id: 'board',
    version: '1',
    summary: 'A board of cards in the columns Todo, Doing and Done.',
    tools: [
      listCards,
      wrap(addCard),
      wrap(editCard),
      wrap(moveCard),
      wrap(deleteCard),
      wrap(clearColumn),
      publishBoard,
    ],
    revision: board.revision,
  });

  /** Returns what a call of the tool would change, for the question about the call. */
  function preview({ name }: { readonly name: string }) {
    return (args: JsonObject): JsonValue => {
      board.refresh();
      const change = previewCall(previewedBoard(board), `board.${name}`, args);
      return change === null ? 'Nothing to change' : { before: change.before, after: change.after };
    };
  }

  function doesNotFit(): ToolOutcome {
    const forUser = 'The board was changed at that moment.';
    return failed(`${forUser} Call board.list_cards to see what there is.`, { forUser });
  }

  /** Acts on the card that the model refers to. */
  function withCard<T>(
    reference: string,
    context: ToolContext,
    act: (found: PlacedCard) => T,
  ): T | ToolOutcome {
    const found = board.find(reference);
    if (!found) {
      const { forModel, forUser } = noSuchCard(board.columns.peek(), reference);
      return failed(forModel, { forUser });
    }
    return changedMeanwhile(found.card.id, context) ?? act(found);
  }

  /** Returns a conflict if the user changed this card or column after the model last saw the board. */
  function changedMeanwhile(key: string, { revision }: ToolContext): ToolOutcome | undefined {
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

/**
 * Waits as long as the pace says. The pace is read repeatedly because it may change. Rejects as `wait` does.
 */
async function work(ms: () => number, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (let left = ms(); left > 0; left = ms() - (performance.now() - began))
    await wait(Math.min(left, SLICE_MS), signal);
}

/** Waits. Rejects as soon as the call is cancelled, so that the tool does nothing afterwards. */
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

/** Returns a failure whose text both the model and the user read. */
function failedFor(text: string): ToolOutcome {
  return failed(text, { forUser: text });
}

function endOf({ id, cards }: Column): Place {
  return { column: id, index: cards.length };
}
