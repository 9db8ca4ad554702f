import {
  createMirror,
  immediate,
  type AgentSession,
  type Mirror,
  type Operation,
  type SessionState,
  type Signals,
} from '@banister/session';
import { textPieces } from '@banister/session/view';
import { isDeepStrictEqual } from 'node:util';
import type { Subscription } from 'rxjs';

const jsonCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * A subscriber that joined while the session was in use: feeds a mirror with JSON copies of the state of that moment and of each
 * operation after it, and appends the pieces of text.
 */
export class JoinedReader {
  private readonly mirror: Mirror;
  private readonly log: Operation[] = [];
  private readonly found: string[] = [];
  /** The number of the last operation that was in the state when the reader joined. */
  private readonly since: number;
  /** The turn that runs or ran last, of those that the reader saw. */
  private turnId: string | undefined;
  private readonly texts = new Map<string, string>();
  private readonly subscription: Subscription;
  private compared = -1;

  /**
   * @param where the place in which the reader joined, for messages
   * @param owned returns the state of the owner behind the operation that is being delivered
   */
  constructor(
    private readonly session: AgentSession,
    private readonly where: string,
    private readonly owned: () => SessionState,
  ) {
    const { state } = session;
    this.since = state.sequence;
    this.mirror = createMirror(jsonCopy(state), { ports: { scheduler: immediate() } });
    this.turnId = state.liveTurn?.id;
    this.subscription = session.operations$.subscribe((operation) => this.follow(operation));
    this.subscription.add(
      textPieces(session).subscribe(({ turnId, text }) => {
        this.texts.set(turnId, (this.texts.get(turnId) ?? '') + text);
      }),
    );
  }

  leave(): void {
    this.subscription.unsubscribe();
  }

  private follow(operation: Operation): void {
    const expected = this.since + this.log.push(operation);
    if (operation.sequence !== expected) this.say(`gets #${operation.sequence} instead of #${expected}`);
    this.mirror.fold([jsonCopy(operation)]);
    if (!isDeepStrictEqual(this.mirror.state, this.owned()))
      this.say(`has another state than its owner behind #${expected} ${operation.type}`);
    if (operation.type === 'turnStarted') this.turnId = operation.turnId;
  }

  /**
   * The differences from the session at rest.
   *
   * @param all the operations of the session, from its first on
   */
  problems(all: readonly Operation[]): readonly string[] {
    const { log, session, turnId } = this;
    if (this.subscription.closed || this.compared === log.length) return this.found;
    this.compared = log.length;
    if (!isDeepStrictEqual(this.mirror.state, session.state))
      this.say('ends with another state than the session');
    for (const name of differingSignals(this.mirror.signals, session))
      this.say(`has another signal ${name} than the session`);
    const since = all.slice(all.length - log.length);
    if (log.some((operation, index) => operation !== since[index]))
      this.say('gets other operations than the first subscriber');
    const { currentText } = session.state;
    if (turnId !== undefined && (this.texts.get(turnId) ?? '') !== currentText)
      this.say(`gets pieces of text of ${turnId} that are not its text`);
    return this.found;
  }

  private say(problem: string): void {
    this.found.push(`a reader that joined in ${this.where} ${problem}`);
  }
}

/** The names of the signals whose values differ, apart from functions. All changes must be published. */
function differingSignals(mirror: Signals, session: Signals): readonly string[] {
  return (Object.keys(mirror) as (keyof Signals)[]).filter(
    (name) => !isDeepStrictEqual(plain(mirror[name].peek()), plain(session[name].peek())),
  );
}

/** A value of a signal as JSON: without the methods of confirmations and errors. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : jsonCopy(value);
}
