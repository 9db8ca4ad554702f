import { defineTool, stop, type Domain, type Tool, type ToolContext } from '@banister/session';
import { settle } from '@banister/testing';

/** The state of the app, which survives its sessions. Plain JSON. */
export interface World {
  /** The cards on the board, each with the call that put it there. */
  readonly cards: { readonly title: string; readonly callId: string }[];
  /** The number of times that each call acted, by its id. */
  readonly acts: Record<string, number>;
}

export const emptyWorld = (): World => ({ cards: [], acts: {} });

const title = { type: 'string' } as const;
const oneTitle = { type: 'object', properties: { title }, required: ['title'] } as const;
const twoTitles = {
  type: 'object',
  properties: { title, second: title },
  required: ['title', 'second'],
} as const;

interface Titled {
  readonly title: string;
}

/** The data of an effect with the cards that its tool found. */
interface Behind extends Titled {
  readonly behind: readonly string[];
}

interface OfCall {
  readonly callId: string;
}

/** An effect that cannot be moved. */
const stuck = (): never => {
  throw new Error('The card is stuck.');
};

/** The app of the scenarios: a board over a world, with one tool for each way in which a call can act and be taken back. */
export class KillApp {
  /** @param changed is called after each change of the world */
  constructor(
    readonly world: World = emptyWorld(),
    private readonly changed: () => void = () => {},
    /** Returns the paths of a card; none by default. */
    private readonly paths: (title: string) => readonly string[] = () => [],
  ) {}

  /** The number of previews that were made of a tool whose preview is another one each time. */
  private readings = 0;

  get titles(): readonly string[] {
    return this.world.cards.map(({ title }) => title);
  }

  private put(title: string, callId: string): void {
    this.world.cards.push({ title, callId });
    this.changed();
  }

  /** The user puts a card on the board. */
  putByUser(): void {
    this.put('By the user', 'user');
  }

  /** Puts a card there unless the call did so before. */
  ensure(title: string, callId: string): void {
    if (this.indexOf(title, callId) < 0) this.put(title, callId);
  }

  private indexOf(title: string, callId: string): number {
    return this.world.cards.findIndex((card) => card.title === title && card.callId === callId);
  }

  private take(title: string, callId: string): void {
    const index = this.indexOf(title, callId);
    if (index < 0) return;
    this.world.cards.splice(index, 1);
    this.changed();
  }

  /** Takes the cards of a call from the board. */
  takeCardsOf(callId: string): void {
    for (const card of this.world.cards.filter((one) => one.callId === callId)) this.take(card.title, callId);
  }

  private act(callId: string): void {
    this.world.acts[callId] = (this.world.acts[callId] ?? 0) + 1;
  }

  /** Takes a card from the board some steps later. */
  private async takeLate({ title }: Titled, { callId }: OfCall, steps: number): Promise<void> {
    await settle(steps);
    this.take(title, callId);
  }

  /** The undo of tools that record data. */
  private get byData() {
    return {
      revert: ({ title }: Titled, { callId }: OfCall) => this.take(title, callId),
      reapply: ({ title }: Titled, { callId }: OfCall) => this.ensure(title, callId),
    };
  }

  /** @param unversioned whether the board has no revision */
  domain(unversioned = false): Domain {
    return {
      id: 'board',
      ...(unversioned ? {} : { revision: () => JSON.stringify(this.world.cards) }),
      tools: [...this.dataTools(), ...this.otherTools()],
    };
  }

  /** Tools that record their effect before they act. */
  private dataTools() {
    const add = (name: string, more: Partial<Tool> = {}) =>
      defineTool({
        name,
        description: 'Adds a card.',
        parameters: oneTitle,
        undo: this.byData,
        ...more,
        execute: async ({ title }, context) => {
          this.act(context.callId);
          await context.undo({ description: title, data: { title }, paths: this.paths(title) });
          this.ensure(title, context.callId);
        },
      });
    const half = defineTool({
      name: 'half',
      description: 'Adds a card, and fails.',
      parameters: oneTitle,
      undo: this.byData,
      execute: async ({ title }, context) => {
        this.act(context.callId);
        await context.undo({ description: title, data: { title }, paths: this.paths(title) });
        this.ensure(title, context.callId);
        throw new Error('The board broke.');
      },
    });
    const both = defineTool({
      name: 'both',
      description: 'Adds two cards.',
      parameters: twoTitles,
      undo: this.byData,
      execute: async ({ title, second }, context) => {
        this.act(context.callId);
        for (const one of [title, second]) {
          await context.undo({ description: one, data: { title: one }, paths: this.paths(one) });
          this.ensure(one, context.callId);
        }
      },
    });
    const show = defineTool({
      name: 'show',
      description: 'Adds a card behind those that its question shows.',
      parameters: oneTitle,
      undo: { revert: (data: Behind, call) => this.byData.revert(data, call) },
      preview: () => this.titles,
      execute: async ({ title }, context) => {
        this.act(context.callId);
        await context.undo({ description: title, data: { title, behind: this.titles } });
        this.ensure(title, context.callId);
      },
    });
    return [
      show,
      add('restless', { preview: () => `Reading ${++this.readings}` }),
      add('add'),
      add('side', { parallel: true }),
      add('slot', { resources: (args) => [JSON.stringify(args)] }),
      add('ensure', { replay: 'safe' }),
      add('publish', { replay: 'ask' }),
      half,
      both,
      add('heavy', {
        undo: { ...this.byData, revert: (card: Titled, call) => this.takeLate(card, call, 12) },
      }),
      add('lazy', {
        undo: { ...this.byData, revert: (card: Titled, call) => this.takeLate(card, call, 60) },
      }),
      add('glue', { undo: { ...this.byData, revert: stuck } }),
      add('fragile', { undo: { ...this.byData, reapply: stuck } }),
      add('once', { undo: { revert: this.byData.revert } }),
    ];
  }

  private otherTools() {
    const paint = defineTool({
      name: 'paint',
      description: 'Adds a card, and records closures.',
      parameters: oneTitle,
      execute: ({ title }, context) => {
        this.act(context.callId);
        this.put(title, context.callId);
        context.undo({
          description: title,
          paths: this.paths(title),
          revert: () => this.take(title, context.callId),
          reapply: () => this.put(title, context.callId),
        });
      },
    });
    const nail = defineTool({
      name: 'nail',
      description: 'Adds a card that cannot be moved, and records closures.',
      parameters: oneTitle,
      execute: ({ title }, context) => {
        this.act(context.callId);
        this.put(title, context.callId);
        context.undo({ description: title, paths: this.paths(title), revert: stuck, reapply: stuck });
      },
    });
    const mail = defineTool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: oneTitle,
      execute: ({ title }, context) => {
        this.act(context.callId);
        this.put(title, context.callId);
        context.irreversible(title);
      },
    });
    const last = defineTool({
      name: 'last',
      description: 'Adds a card, and stops the turn.',
      parameters: oneTitle,
      undo: this.byData,
      execute: async ({ title }, context) => {
        this.act(context.callId);
        await context.undo({ description: title, data: { title }, paths: this.paths(title) });
        this.ensure(title, context.callId);
        return stop('That is enough.');
      },
    });
    const list = defineTool({
      name: 'list',
      description: 'Lists the cards.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: () => [...this.titles],
    });
    const broken = defineTool({
      name: 'broken',
      description: 'Fails.',
      parameters: { type: 'object' },
      execute: () => {
        throw new Error('It does not work.');
      },
    });
    const slow = defineTool({
      name: 'slow',
      description: 'Never answers.',
      parameters: oneTitle,
      timeoutMs: 1_000,
      execute: async ({ title }, context) => {
        this.act(context.callId);
        this.put(title, context.callId);
        await new Promise<never>(() => {});
      },
    });
    return [paint, nail, mail, last, list, broken, slow, ...this.lateTools()];
  }

  /** Tools that act after they were cut. */
  private lateTools() {
    const late = (
      name: string,
      record: (title: string, context: ToolContext) => void,
      more: Partial<Tool> = {},
    ) =>
      defineTool({
        name,
        description: 'Adds a card after it was cut.',
        parameters: oneTitle,
        timeoutMs: 1_000,
        ...more,
        execute: async ({ title }, context) => {
          this.act(context.callId);
          await new Promise((resolve) => {
            context.signal.addEventListener('abort', resolve, { once: true });
          });
          await settle(3);
          this.put(title, context.callId);
          record(title, context);
        },
      });
    const byData = (title: string, context: ToolContext) =>
      void context.undo({ description: title, data: { title } }).catch(() => {});
    const byClosure = (title: string, context: ToolContext) =>
      context.undo({ description: title, revert: () => this.take(title, context.callId) });
    return [
      late('late', byData, { undo: this.byData }),
      late('latePaint', byClosure),
      late('lateMail', (title, context) => context.irreversible(title)),
    ];
  }
}

/** Ids of the tools whose calls must not act twice. */
export const actsOnce = [
  'add',
  'side',
  'slot',
  'half',
  'both',
  'heavy',
  'lazy',
  'glue',
  'fragile',
  'once',
  'paint',
  'nail',
  'mail',
  'last',
  'slow',
  'late',
  'latePaint',
  'lateMail',
].map((name) => `board.${name}`);
