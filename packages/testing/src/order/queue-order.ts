import type { OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The rules for the queue: a message whose id the app gave comes into it once; a message leaves it once, and begins the next turn, or joins the running turn, or its child turn, if it steers. */
export class QueueOrder {
  /** For each message id, whether the message steers. */
  private readonly steering = new Map<string, boolean>();
  /** For each message that steers a child turn, the id of the child turn. */
  private readonly children = new Map<string, string>();
  /** The ids that the app gave. */
  private readonly given = new Set<string>();
  /** The message whose turn must begin with the next operation. */
  private starting: { readonly id: string; readonly target: string | undefined } | null = null;

  /** @param isWhole whether the stream has all operations of the session; otherwise the queue may have earlier messages */
  constructor(private readonly isWhole: boolean) {}

  queued({ id, steering, child, given }: OperationOf<'queued'>, hasTurn: boolean, complain: Complain): void {
    if (steering && !hasTurn) complain('there is no turn that it could join');
    if ((this.steering.get(id) ?? steering) !== steering)
      complain(`message ${id} ${steering ? 'waits for a turn of its own' : 'steers the running turn'}`);
    if (child !== undefined && !steering) complain(`message ${id} waits for a turn of its own`);
    if (this.steering.has(id)) this.complainUnlessFor(id, child, complain);
    this.steering.set(id, steering);
    if (child !== undefined) this.children.set(id, child);
    if (!given) return;
    if (this.given.has(id)) complain(`message ${id} was in the queue before`);
    this.given.add(id);
  }

  dequeued({ id, reason, target }: OperationOf<'dequeued'>, complain: Complain): void {
    this.complainUnlessQueued(id, complain);
    if (reason === 'started') {
      if (this.steering.get(id) === true) complain(`message ${id} steers the running turn`);
      this.starting = { id, target };
    }
    this.leave(id);
    if (reason === 'refused') this.given.delete(id);
  }

  /** @param child the id of the child turn that the message joins; undefined for the turn of the user */
  steered({ id }: Pick<OperationOf<'steered'>, 'id'>, child: string | undefined, complain: Complain): void {
    this.complainUnlessQueued(id, complain);
    if (this.steering.get(id) === false) complain(`message ${id} waits for a turn of its own`);
    if (this.steering.has(id)) this.complainUnlessFor(id, child, complain);
    this.leave(id);
  }

  /** Called when a child turn has ended: no message may wait for it. */
  childEnded(child: string, complain: Complain): void {
    for (const [id, steered] of this.children)
      if (steered === child) complain(`message ${id} still steers child turn ${child}`);
  }

  /** @param turnId the id of the turn that begins; null for every other operation */
  followed(turnId: string | null, complain: Complain): void {
    const { starting } = this;
    if (starting === null) return;
    this.starting = null;
    if (turnId !== starting.target)
      complain(`turn ${starting.target} of message ${starting.id} has not begun`);
  }

  /** Called when the turn has ended: messages that did not join it wait for their own turns. */
  turnEnded(): void {
    for (const id of this.steering.keys()) this.steering.set(id, false);
  }

  /** Called after `ownerChanged`: a message whose turn did not begin is in the queue again. */
  ownerChanged(): void {
    if (this.starting !== null) this.steering.set(this.starting.id, false);
    this.starting = null;
  }

  private leave(id: string): void {
    this.steering.delete(id);
    this.children.delete(id);
  }

  private complainUnlessFor(id: string, child: string | undefined, complain: Complain): void {
    const steered = this.children.get(id);
    if (steered !== child)
      complain(
        `message ${id} steers ${steered === undefined ? 'the turn of the user' : `child turn ${steered}`}`,
      );
  }

  private complainUnlessQueued(id: string, complain: Complain): void {
    if (this.isWhole && !this.steering.has(id)) complain(`message ${id} is not in the queue`);
  }
}
