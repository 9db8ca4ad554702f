import { conflict, type Domain, type Tool } from '@banister/session';

/** A small app with a state of its own, a revision, and edits of the user. */
export interface Board {
  readonly titles: readonly string[];
  readonly version: number;
  /** Changes a card, as the user. */
  rename(from: string, to: string): void;
  /** Adds a card, as the user. */
  put(title: string): void;
  /** `add {title}`: mutating, with revert and reapply. `list`: readOnly. `drop {title}`: mutating, no reapply. */
  domain(...extra: readonly Tool[]): Domain;
}

const titleOnly = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
} as const;

export function createBoard(id = 'board'): Board {
  const cards = new Map<number, string>();
  let version = 0;
  let nextId = 0;

  const insert = (card: number, title: string) => {
    cards.set(card, title);
    version++;
  };
  const add: Tool = {
    name: 'add',
    description: 'Adds a card.',
    parameters: titleOnly,
    execute(args, context) {
      const { title } = args as { readonly title: string };
      const card = nextId++;
      insert(card, title);
      context.undo({
        description: `Added ${title}`,
        revert() {
          // The revert must not overwrite an edit of the user.
          if (cards.get(card) !== title) return conflict(title, cards.get(card) ?? 'nothing');
          cards.delete(card);
          version++;
          return undefined;
        },
        reapply: () => insert(card, title),
      });
      return { card };
    },
  };
  const drop: Tool = {
    name: 'drop',
    description: 'Drops a card.',
    parameters: titleOnly,
    execute(args, context) {
      const { title } = args as { readonly title: string };
      const card = [...cards].find(([, name]) => name === title)?.[0];
      if (card === undefined) throw new Error(`There is no card ${title}.`);
      cards.delete(card);
      version++;
      context.undo({ description: `Dropped ${title}`, revert: () => insert(card, title) });
    },
  };
  const list: Tool = {
    name: 'list',
    description: 'Lists the cards.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    execute: () => [...cards.values()],
  };
  return {
    get titles() {
      return [...cards.values()];
    },
    get version() {
      return version;
    },
    rename(from, to) {
      const card = [...cards].find(([, name]) => name === from)?.[0];
      if (card === undefined) throw new Error(`There is no card ${from}.`);
      insert(card, to);
    },
    put: (title) => insert(nextId++, title),
    domain: (...extra) => ({ id, tools: [add, drop, list, ...extra], revision: () => version }),
  };
}

/** A call of `board.add`. */
export const addCard = (title: string) => ({ tool: 'board.add', args: { title } });
