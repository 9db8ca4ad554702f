import { defineTool, type Domain } from '@banister/session';
import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb';
import type { World } from '../../../session/test/kill/kill-app.js';

const oneTitle = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
} as const;

interface Titled {
  readonly title: string;
}

type Change = IDBPTransaction<unknown, string[], 'readwrite'>;

/** The functions that a board calls in its page. */
export interface BoardWatch {
  /** Called when the executor of a tool runs that is not safe to repeat. */
  executing(callId: string): void;
  /** Called when the card of a call is removed, before `changed`. */
  took(callId: string): void;
  /** Called when a change is stored, before the tool continues. */
  changed(): void;
}

/**
 * The app of the killed pages: a board with its own database. It has a tool for each way in which a call can
 * act and be undone. The tools are named as in `KillApp`, so that both apps are checked by the same account.
 */
export class StoredBoard {
  private constructor(
    private readonly database: IDBPDatabase,
    private readonly watch: BoardWatch,
  ) {}

  static async open(name: string, watch: BoardWatch): Promise<StoredBoard> {
    const database = await openDB(name, 1, {
      upgrade(fresh) {
        fresh.createObjectStore('cards');
        fresh.createObjectStore('acts');
      },
    });
    return new StoredBoard(database, watch);
  }

  async world(): Promise<World> {
    const transaction = this.database.transaction(['cards', 'acts']);
    const [cards, calls, counts] = await Promise.all([
      transaction.objectStore('cards').getAll(),
      transaction.objectStore('acts').getAllKeys(),
      transaction.objectStore('acts').getAll(),
    ]);
    return { cards, acts: Object.fromEntries(calls.map((id, at) => [id, counts[at]])) };
  }

  private async change(
    act: (transaction: Change) => Promise<unknown>,
    stored: () => void = () => {},
  ): Promise<void> {
    const transaction = this.database.transaction(['cards', 'acts'], 'readwrite');
    await Promise.all([act(transaction), transaction.done]);
    stored();
    this.watch.changed();
  }

  /** Adds a card for a call. */
  private act(title: string, callId: string): Promise<void> {
    return this.change(async (transaction) => {
      const acts = transaction.objectStore('acts');
      await acts.put(((await acts.get(callId)) ?? 0) + 1, callId);
      await put(transaction, title, callId);
    });
  }

  private again(title: string, callId: string): Promise<void> {
    return this.change((transaction) => put(transaction, title, callId));
  }

  private take(title: string, callId: string): Promise<void> {
    return this.change(
      (transaction) => transaction.objectStore('cards').delete([title, callId]),
      () => this.watch.took(callId),
    );
  }

  domain(): Domain {
    const byData = {
      revert: ({ title }: Titled, { callId }: { readonly callId: string }) => this.take(title, callId),
      reapply: ({ title }: Titled, { callId }: { readonly callId: string }) => this.again(title, callId),
    };
    const add = (name: string, more: object = {}) =>
      defineTool({
        name,
        description: 'Adds a card.',
        parameters: oneTitle,
        undo: byData,
        ...more,
        execute: async ({ title }, context) => {
          if (name !== 'ensure') this.watch.executing(context.callId);
          await context.undo({ description: title, data: { title } });
          await this.act(title, context.callId);
          if (name === 'half') throw new Error('The board broke.');
        },
      });
    const paint = defineTool({
      name: 'paint',
      description: 'Adds a card, and records closures.',
      parameters: oneTitle,
      execute: async ({ title }, context) => {
        const { callId } = context;
        this.watch.executing(callId);
        await this.act(title, callId);
        context.undo({
          description: title,
          revert: () => this.take(title, callId),
          reapply: () => this.again(title, callId),
        });
      },
    });
    const mail = defineTool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: oneTitle,
      execute: async ({ title }, context) => {
        this.watch.executing(context.callId);
        await this.act(title, context.callId);
        context.irreversible(title);
      },
    });
    const byPolicy = [add('ensure', { replay: 'safe' }), add('publish', { replay: 'ask' })];
    const others = ['add', 'once', 'half'].map((name) => add(name));
    return { id: 'board', tools: [...others, ...byPolicy, add('side', { parallel: true }), paint, mail] };
  }
}

async function put(transaction: Change, title: string, callId: string): Promise<void> {
  await transaction.objectStore('cards').put({ title, callId }, [title, callId]);
}
