import { apply, textPieces, type AgentSession, type Operation, type SessionState } from '@handrail/session';
import { isDeepStrictEqual } from 'node:util';
import type { Subscription } from 'rxjs';

/**
 * A subscriber that joined while the session was in use: folds its operations onto the state of that moment, and appends the
 * pieces of text.
 */
export class JoinedReader {
  private mirror: SessionState;
  private readonly log: Operation[] = [];
  /** The turn that runs or ran last, of those that the reader saw. */
  private turnId: string | undefined;
  private readonly texts = new Map<string, string>();
  private readonly subscription: Subscription;
  private compared = -1;

  constructor(private readonly session: AgentSession) {
    this.mirror = session.state;
    this.turnId = session.state.liveTurn?.id;
    this.subscription = session.operations$.subscribe((operation) => {
      this.log.push(operation);
      this.mirror = apply(this.mirror, operation);
      if (operation.type === 'turnStarted') this.turnId = operation.turnId;
    });
    this.subscription.add(
      textPieces(session).subscribe(({ turnId, text }) => {
        this.texts.set(turnId, (this.texts.get(turnId) ?? '') + text);
      }),
    );
  }

  leave(): void {
    this.subscription.unsubscribe();
  }

  /**
   * The differences from the session at rest.
   *
   * @param all the operations of the session, from its first on
   */
  problems(all: readonly Operation[]): readonly string[] {
    const { log, session, turnId } = this;
    if (this.subscription.closed || this.compared === log.length) return [];
    this.compared = log.length;
    const problems: string[] = [];
    if (!isDeepStrictEqual(this.mirror, session.state))
      problems.push('the operations since a subscriber joined do not give the state');
    const since = all.slice(all.length - log.length);
    if (log.some((operation, index) => operation !== since[index]))
      problems.push('a subscriber that joined later gets other operations than the first one');
    const { currentText } = session.state;
    if (turnId !== undefined && (this.texts.get(turnId) ?? '') !== currentText)
      problems.push(`the pieces of text of ${turnId} are not its text`);
    return problems;
  }
}
