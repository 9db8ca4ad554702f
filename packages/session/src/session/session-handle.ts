import type { Input } from '@banister/provider';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { Attachments } from '../signals/projection.js';
import { signal, type Signal } from '../signals/signals-core.js';
import { initialState } from '../state/initial-state.js';
import type { Words } from '../words/create-words.js';
import type { DisposeOptions, SendOptions } from './agent-session.js';
import { command } from './command.js';
import type { CommandName } from './command-table.js';
import { deferred } from '../operations/deferred.js';
import type { TurnIds } from './prepared-turn.js';
import type { SessionChanges } from './session-options.js';
import type { Link } from '../log/session-log.js';
import { createOutputs, type SessionOutputs } from './session-outputs.js';

/** Takes the calls of a session to the place that carries them out. */
export interface SessionLine {
  call(name: CommandName, args: readonly unknown[]): Promise<unknown>;
  save(): SavedConversation;
  /** Ends the session; or leaves it, if it runs elsewhere. Called once. */
  end(options?: DisposeOptions): Promise<void>;
}

/** The line of a session in this page, with the methods that return at once. */
export interface LocalLine extends SessionLine {
  /** @param ids the ids of the turn and of its message, if a view already shows them */
  turn$(input: Input, options?: SendOptions, ids?: TurnIds): Observable<Operation>;
  configure(changes: SessionChanges): void;
  touch(domain: string): void;
}

/** A session as an app holds it: what its readers see, and the line that takes its calls. */
export class SessionHandle<Line extends SessionLine = SessionLine> {
  readonly outputs: SessionOutputs;
  readonly link: Signal<Link>;
  /** Set at once by the function that creates the session. */
  line!: Line;
  private disposal: Promise<void> | null = null;

  constructor(
    readonly ports: Ports,
    link: Link,
    words: Words | undefined,
  ) {
    this.link = signal(link);
    this.outputs = createOutputs(initialState(), ports, {
      respond: this.method('respond') as Attachments['respond'],
      words,
    });
  }

  /** Returns the public method of a command. */
  method(name: CommandName): (...args: unknown[]) => Promise<unknown> {
    return command(
      (...args) => this.line.call(name, args),
      () => this.outputs,
    );
  }

  /** Disposes the session once: every call returns the same promise. */
  dispose(options?: DisposeOptions): Promise<void> {
    if (this.disposal !== null) return this.disposal;
    const { promise, resolve } = deferred<void>();
    // Set before readers see that a turn has ended, so that a reader which disposes the session gets this promise.
    this.disposal = promise;
    resolve(this.line.end(options));
    return promise;
  }
}
