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

/** A card on the board of a test. */
export interface StoreCard {
  id: string;
  title: string;
  note?: string;
  tags: string[];
}

/** The state of the store in a test. */
export interface StoreBoard {
  cards: StoreCard[];
  filter: string;
}

/** A store with a {@link StoreBoard} that must be empty: `{ cards: [], filter: '' }`. */
export interface StoreFixture {
  /** The store, with the roots `cards` and `filter` and the key `id`. */
  readonly undoable: {
    wrap<T extends Tool>(tool: T): T;
    revision(): string;
    subscribe(changed: () => void): () => void;
  };
  /** Returns a copy of the board as JSON. */
  read(): StoreBoard;
  /** Changes the board as the app would. The recipe changes its argument in place. */
  update(recipe: (board: StoreBoard) => void): void;
  /** For a store that replaces what changes: changes its objects in place all the same, and notifies its subscribers. */
  mutate?(recipe: (board: StoreBoard) => void): void;
  dispose?(): void | Promise<void>;
}

/** What a call of the tool does. */
export type StoreWork = (context: ToolContext) => unknown;

/** What the facts of a store share: a board, and a session with a tool that changes it. */
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

  /** Creates a session with the saved conversation of another session, as a reloaded page does. */
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
      // Equal calls would be stopped as repetitions.
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

  /** Runs a turn whose tool changes the board synchronously. */
  changed(recipe: (board: StoreBoard) => void): Promise<LocalAgentSession> {
    return this.turn(() => this.update(recipe));
  }

  /** Checks that an undo of the turn gives the board `before`, and a redo the board `after`. */
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

/** Returns a card like the cards of `fill`. */
export function card(id: string): StoreCard {
  return { id, title: `Card ${id}`, tags: [] };
}

/** Returns the lengths of the lists in a report. */
export function numbers({ done, failed, irreversible }: UndoReport) {
  return { done: done.length, failed: failed.length, irreversible: irreversible.length };
}
