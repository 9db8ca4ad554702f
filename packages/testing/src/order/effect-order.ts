import type { OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The operations that undo or redo an effect. */
export type EffectMovedType = 'effectReverted' | 'effectReapplied';

/** The rules for the effects of a session: a started call records an effect, which is then undone and redone in turn. */
export class EffectOrder {
  /** For each call: its effects in order, true if the effect is applied. */
  private readonly calls = new Map<string, boolean[]>();

  started(callId: string): void {
    // A call that runs again keeps its effects.
    if (!this.calls.has(callId)) this.calls.set(callId, []);
  }

  /** Checks an operation of an effect. A call that was cut may still record effects, until its turn has ended. */
  follow(operation: OperationOf<'effectRecorded' | EffectMovedType>, complain: Complain): void {
    if (operation.type === 'effectRecorded') this.recorded(operation, complain);
    else this.moved(operation, complain);
  }

  private recorded({ callId, step }: OperationOf<'effectRecorded'>, complain: Complain): void {
    const steps = this.calls.get(callId);
    if (steps === undefined) return complain(`call ${callId} has not started`);
    if (step < 1 || step > steps.length + 1)
      complain(`effect ${step} of call ${callId} after ${steps.length}`);
    steps[step - 1] = true;
  }

  private moved({ type, callId, step, outcome }: OperationOf<EffectMovedType>, complain: Complain): void {
    const steps = this.calls.get(callId);
    const isInEffect = steps?.[step - 1];
    const reverts = type === 'effectReverted';
    if (steps === undefined || isInEffect === undefined)
      return complain(`call ${callId} recorded no effect ${step}`);
    if (isInEffect !== reverts)
      complain(`effect ${step} of call ${callId} is ${isInEffect ? '' : 'not '}in effect`);
    if (outcome === 'success') steps[step - 1] = !reverts;
  }
}
