import {
  conflict,
  contentRevision,
  defineDomain,
  defineTool,
  immediate,
  isAgentSessionError,
  type LocalAgentSession,
  type Operation,
  type SessionLog,
} from '@banister/session';
import { callTools, createVirtualClock, memoryLog, say, scriptedProvider, stall } from '@banister/testing';
import { createSession } from '../opened.js';

const id = 'chat-1';

/** A command that was given to a session, and its end. */
export interface GivenCommand {
  readonly name: string;
  /** The text of the message; empty for a command without one. */
  readonly text: string;
  readonly tab: Tab;
  /** The number of times that its promise was settled. */
  settled: number;
  /** The result, or the code of the error. */
  result: string | null;
}

/** One session, as a tab of a browser has it. */
export interface Tab {
  readonly session: LocalAgentSession;
  readonly number: number;
  isDisposed: boolean;
}

/** Several sessions on one log, with a board that all of them change. */
export class TabsWorld {
  readonly clock = createVirtualClock(1_000);
  /** Every operation that was stored; the log itself drops those before a snapshot. */
  readonly stored: Operation[] = [];
  private readonly inner = memoryLog({ clock: this.clock });
  readonly log: SessionLog = {
    ...this.inner,
    append: async (lease, record, options) => {
      await this.inner.append(lease, record, options);
      this.stored.push(...(JSON.parse(JSON.stringify(record.operations)) as Operation[]));
    },
  };
  readonly tabs: Tab[] = [];
  readonly commands: GivenCommand[] = [];
  readonly reported: unknown[] = [];
  readonly cards: string[] = [];
  /** The ids of the calls whose executors were called. */
  readonly executed: string[] = [];
  private count = 0;

  /** @param kinds of the answers of the models, in turns */
  constructor(private readonly kinds: readonly number[]) {}

  get open(): readonly Tab[] {
    return this.tabs.filter(({ isDisposed }) => !isDisposed);
  }

  add(): Tab {
    const number = this.tabs.length;
    const provider = scriptedProvider([], {
      otherwise: (_request, index) => {
        const kind = this.kinds[(index + number) % this.kinds.length]! % 4;
        if (kind === 0) return stall('Wait');
        if (kind === 1) return callTools('', { tool: 'board.add', args: { title: `${number}-${index}` } });
        return say(['An ', 'answer.']);
      },
    });
    const { session } = createSession(
      [],
      {
        provider,
        id,
        log: this.log,
        domains: [this.board()],
        limits: { maxRounds: 4, maxRetries: 0 },
        ports: {
          clock: this.clock,
          scheduler: immediate(),
          reportError: (error) => void this.reported.push(error),
        },
      },
      this.clock,
    );
    const tab: Tab = { session, number, isDisposed: false };
    this.tabs.push(tab);
    return tab;
  }

  /** Gives a command to a session, and notes its end. */
  give(tab: Tab, name: string, run: (session: LocalAgentSession, text: string) => Promise<unknown>): void {
    const text = `message ${this.count++}`;
    const command: GivenCommand = { name, text, tab, settled: 0, result: null };
    this.commands.push(command);
    const end = (result: string) => Object.assign(command, { settled: command.settled + 1, result });
    run(tab.session, text).then(
      (result) =>
        end(typeof result === 'string' ? result : ((result as { status?: string })?.status ?? 'done')),
      (error: unknown) => end(isAgentSessionError(error) ? error.code : String(error)),
    );
  }

  dispose(tab: Tab, turn?: 'leave'): Promise<void> {
    tab.isDisposed = true;
    return tab.session.dispose(turn === undefined ? {} : { turn });
  }

  private board() {
    const { cards, executed } = this;
    const add = defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      undo: {
        revert({ title }: { readonly title: string }) {
          const index = cards.indexOf(title);
          if (index < 0) return conflict('gone', title);
          cards.splice(index, 1);
          return undefined;
        },
        reapply({ title }: { readonly title: string }) {
          cards.push(title);
        },
      },
      async execute({ title }, context) {
        executed.push(context.callId);
        await context.undo({ description: `Added ${title}`, data: { title } });
        cards.push(title);
      },
    });
    return defineDomain({ id: 'board', tools: [add], revision: contentRevision(() => cards) });
  }
}
