import {
  createAgentSession,
  immediate,
  type LocalAgentSession,
  type SavedConversation,
  type Tool,
  type ToolContext,
  type UndoReport,
} from '@banister/session';
import { assertEqual } from '../assert.js';
import { callTools, say } from '../scripted-answer.js';
import { scriptedProvider } from '../scripted-provider.js';
import { spyTool } from '../spy-tool.js';

/** A card of the board of a test. */
export interface StoreCard {
  id: string;
  title: string;
  note?: string;
  tags: string[];
}

/** The state of the store of a test. */
export interface StoreBoard {
  cards: StoreCard[];
  filter: string;
}

/** A store that holds a {@link StoreBoard}, which is empty at first: `{ cards: [], filter: '' }`. */
export interface StoreFixture {
  /** The store, with the roots `cards` and `filter` and the key `id`. */
  readonly undoable: {
    wrap<T extends Tool>(tool: T): T;
    revision(): string;
    subscribe(changed: () => void): () => void;
  };
  /** Returns a copy of the board, as JSON. */
  read(): StoreBoard;
  /** Changes the board as the app does. The recipe changes what it gets in place. */
  update(recipe: (board: StoreBoard) => void): void;
  /** Changes objects of the store in place although it replaces what changes, and tells its subscribers. */
  mutate?(recipe: (board: StoreBoard) => void): void;
  dispose?(): void | Promise<void>;
}

/** The work of one call of the tool. */
export type StoreWork = (context: ToolContext) => unknown;

/** The parts that the facts of a store share: a board, and a session with a tool that changes it. */
export class StoreStage {
  private readonly sessions: LocalAgentSession[] = [];

  constructor(readonly fixture: StoreFixture) {}

  /** Puts cards with these ids on the board. */
  fill(...ids: readonly string[]): void {
    this.update((board) => void board.cards.push(...ids.map(card)));
  }

  update(recipe: (board: StoreBoard) => void): void {
    this.fixture.update(recipe);
  }

  get board(): StoreBoard {
    return this.fixture.read();
  }

  get ids(): readonly string[] {
    return this.board.cards.map(({ id }) => id);
  }

  titleOf(id: string): string | undefined {
    return this.board.cards.find((one) => one.id === id)?.title;
  }

  /** Creates a session whose model calls the tool once for each work, all in the answer to the first message. */
  session(works: readonly StoreWork[], conversation?: SavedConversation): LocalAgentSession {
    return this.create(works.length === 0 ? [] : [works], conversation);
  }

  /** Creates a session with the saved conversation of another one, as a page does that is loaded again. */
  reloaded(session: LocalAgentSession): LocalAgentSession {
    return this.create([], JSON.parse(JSON.stringify(session.save())) as SavedConversation);
  }

  /** Runs a turn for each work, and returns their session. */
  async turns(...works: readonly StoreWork[]): Promise<LocalAgentSession> {
    const session = this.create(works.map((work) => [work]));
    for (let sent = 0; sent < works.length; sent++) await session.send('Go');
    return session;
  }

  private create(
    turns: readonly (readonly StoreWork[])[],
    conversation?: SavedConversation,
  ): LocalAgentSession {
    let position = 0;
    const works = turns.flat();
    const act = spyTool('act', { execute: (_args, context) => works[position++]!(context) });
    const { undoable } = this.fixture;
    const answers = turns.flatMap((calls) => [
      // Equal calls would be stopped as repeated.
      callTools(...calls.map((_, number) => ({ tool: 'board.act', args: { number } }))),
      say('Done.'),
    ]);
    const session = createAgentSession({
      provider: scriptedProvider(answers),
      domains: [{ id: 'board', tools: [undoable.wrap<Tool>(act)], revision: () => undoable.revision() }],
      ports: { scheduler: immediate() },
      ...(conversation === undefined ? {} : { conversation }),
    });
    this.sessions.push(session);
    return session;
  }

  /** Runs a turn with these works, and returns its session. */
  async turn(...works: readonly StoreWork[]): Promise<LocalAgentSession> {
    const session = this.session(works);
    await session.send('Go');
    return session;
  }

  /** Runs a turn that changes the board at once. */
  changed(recipe: (board: StoreBoard) => void): Promise<LocalAgentSession> {
    return this.turn(() => this.update(recipe));
  }

  /** Checks that the turn is taken back to this board, and made again. */
  async movesBack(session: LocalAgentSession, before: StoreBoard, after: StoreBoard): Promise<void> {
    assertEqual(this.board, after, 'the board after the turn');
    assertEqual(
      numbers(await session.undo()),
      { done: 1, failed: 0, irreversible: 0 },
      'the report of the undo',
    );
    assertEqual(this.board, before, 'the board after the undo');
    assertEqual(
      numbers(await session.redo()),
      { done: 1, failed: 0, irreversible: 0 },
      'the report of the redo',
    );
    assertEqual(this.board, after, 'the board after the redo');
  }

  async clear(): Promise<void> {
    for (const session of this.sessions) await session.dispose();
    await this.fixture.dispose?.();
  }
}

/** Returns a card as `fill` makes it. */
export function card(id: string): StoreCard {
  return { id, title: `Card ${id}`, tags: [] };
}

/** Returns the number of items in the lists of a report. */
export function numbers({ done, failed, irreversible }: UndoReport) {
  return { done: done.length, failed: failed.length, irreversible: irreversible.length };
}
