import type { Operation } from '@banister/session';
import type { Complain } from './round-order.js';

/** The rules for the commands of other sessions: each begins once, and causes one turn, or one message in the queue. */
export class CommandOrder {
  /** For each command that has begun, whether an operation names it as its cause. */
  private readonly begun = new Map<string, boolean>();

  /** @param isWhole whether the stream has all operations of the session; otherwise commands may have begun before it */
  constructor(private readonly isWhole: boolean) {}

  check(operation: Operation, complain: Complain): void {
    if (operation.type === 'commandBegan') this.began(operation.command, complain);
    else if (operation.type === 'turnStarted' || operation.type === 'queued')
      this.caused(operation.command, complain);
  }

  private began(command: string, complain: Complain): void {
    if (this.begun.has(command)) complain(`command ${command} has begun before`);
    this.begun.set(command, false);
  }

  private caused(command: string | undefined, complain: Complain): void {
    if (command === undefined) return;
    if (this.isWhole && !this.begun.has(command)) complain(`command ${command} has not begun`);
    if (this.begun.get(command) === true) complain(`command ${command} has its turn or its message already`);
    this.begun.set(command, true);
  }
}
