import {
  confirmTools,
  defineDomain,
  defineTool,
  immediate,
  isAgentSessionError,
  preloadTurns,
  type Agent,
  type AgentSession,
  type Operation,
  type SessionOptions,
} from '@banister/session';
import { assert } from '../assert.js';
import { scriptedProvider, type AnswerSource, type ScriptedProvider } from '../scripted-provider.js';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.js';

/** The session under test, and how to dispose of what was made for it. */
export interface AgentSessionFixture {
  readonly session: AgentSession;
  /** Disposes of everything except the session, which the suite disposes of. */
  dispose?(): void | Promise<void>;
}

/** Creates a session with these options. Its clock is virtual. */
export type MakeSession = (
  options: SessionOptions,
  clock: VirtualClock,
) => AgentSessionFixture | Promise<AgentSessionFixture>;

/** What the facts of a session share: the session, its model, and an app with cards. */
export class SessionStage {
  readonly clock = createVirtualClock(1_000_000);
  readonly provider: ScriptedProvider = scriptedProvider([]);
  /** The cards of the app. `board.add` adds a card; `board.ask` also adds a card, but asks the user first. */
  readonly cards = new Set<string>();
  readonly operations: Operation[] = [];
  readonly reported: unknown[] = [];
  private readonly agents: Agent[] = [];
  private fixture: AgentSessionFixture | undefined;

  /** @param patienceMs how long a step may take in real time, in milliseconds */
  constructor(
    private readonly make: MakeSession,
    private readonly patienceMs: number,
  ) {}

  get session(): AgentSession {
    assert(this.fixture !== undefined, 'the session is not open');
    return this.fixture.session;
  }

  /** Adds an agent with a model that gives these answers, which may use the board. Call it before `open`. */
  agent(id: string, ...answers: readonly AnswerSource[]): void {
    this.agents.push({
      id,
      description: 'Works on the board.',
      role: `You are ${id}.`,
      tools: ['board'],
      provider: scriptedProvider(answers),
    });
  }

  /** Creates the session with a model that gives these answers, and waits until the session is open. */
  async open(...answers: readonly AnswerSource[]): Promise<AgentSession> {
    this.provider.push(...answers);
    const { agents, clock, provider, reported } = this;
    // A virtual clock cannot wait for the code of child turns.
    if (agents.length > 0) await preloadTurns({ agents });
    this.fixture = await this.make(
      {
        provider,
        domains: [this.board()],
        guards: [confirmTools('board.ask')],
        ...(agents.length > 0 && { agents, limits: { maxToolCalls: 60, timeoutMs: 300_000 } }),
        ports: {
          clock,
          scheduler: immediate(),
          validator: { compile: () => () => [] },
          reportError: (error) => reported.push(error),
        },
      },
      clock,
    );
    const { session } = this.fixture;
    session.operations$.subscribe((operation) => this.operations.push(operation));
    await this.until(() => session.link.value.open, 'the session is open');
    return session;
  }

  /** Advances virtual and real time until the condition holds, because code may be loading and messages may be in transit. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + this.patienceMs;
    while (!condition()) {
      assert(Date.now() < deadline, `it did not happen in ${this.patienceMs} ms that ${what}`);
      await this.pass();
    }
  }

  /** Settles like the promise, while time advances. */
  async result<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = () => {
      isSettled = true;
    };
    promise.then(settled, settled);
    await this.until(() => isSettled, 'the command has ended');
    return promise;
  }

  /** Resolves with the code of the error with which a promise rejects. */
  async codeOf(promise: Promise<unknown>): Promise<string> {
    try {
      await this.result(promise);
    } catch (error) {
      assert(isAgentSessionError(error), `the error is no AgentSessionError: ${String(error)}`);
      return error.code;
    }
    return 'resolved';
  }

  /** Waits until no operations arrive any more. */
  async quiet(): Promise<void> {
    for (let last = -1; last !== this.session.state.sequence;) {
      last = this.session.state.sequence;
      for (let times = 0; times < 20; times++) await this.pass();
    }
  }

  async clear(): Promise<void> {
    if (this.fixture === undefined) return;
    await this.result(this.fixture.session.dispose());
    await this.fixture.dispose?.();
  }

  private async pass(): Promise<void> {
    await this.clock.advance(10);
    await new Promise((resolve) => setTimeout(resolve));
  }

  private board() {
    const { agents, cards } = this;
    const cardTool = (name: string) =>
      defineTool({
        name,
        description: 'Adds a card.',
        parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        execute({ title }, context) {
          cards.add(title);
          context.undo({
            description: `Added ${title}`,
            // Without paths, an effect touches the whole board.
            paths: agents.length === 0 ? undefined : [`cards/${title}`],
            revert: () => void cards.delete(title),
            reapply: () => void cards.add(title),
          });
          return { title };
        },
      });
    return defineDomain({ id: 'board', tools: [cardTool('add'), cardTool('ask')] });
  }
}
