import type { OperationOf, TurnOptions } from '@banister/session';
import type { Complain } from './round-order.js';

/** The rules for a tool choice: which calls of a turn may start, and whether its first round must call a tool. */
export class ChoiceOrder {
  private calls = 0;

  constructor(private readonly choice: TurnOptions['toolChoice'] = undefined) {}

  toolStarted({ tool }: OperationOf<'toolStarted'>, round: number, complain: Complain): void {
    const { choice } = this;
    if (choice === 'none') complain('the turn may call no tool');
    if (typeof choice === 'object' && round === 1 && tool !== choice.tool)
      complain(`the first round may call ${choice.tool} only`);
  }

  roundCompleted({ round, toolCalls }: OperationOf<'roundCompleted'>): void {
    if (round === 1) this.calls = toolCalls;
  }

  completed(complain: Complain): void {
    const { choice = 'none' } = this;
    if (choice !== 'none' && this.calls === 0)
      complain('the first round had to call a tool, and called none');
  }
}
