import type { OperationOf } from '@banister/session';
import type { Complain } from './round-order.js';

/** The types of an effect that is taken back, or made again. */
export type EffectMovedType = 'effectReverted' | 'effectReapplied';

/** The order of the effects of a session: recorded by a call that has started, then taken back and made again in turn. */
export class EffectOrder {
  /** The effects of each call, in order: whether each is in effect. */
  private readonly calls = new Map<string, boolean[]>();

  started(callId: string): void {
    // A call that runs again keeps its effects.
    if (!this.calls.has(callId)) this.calls.set(callId, []);
  }

  /** Also a call that was cut records effects, while its turn goes on or ends. */
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
