import { Observable } from 'rxjs';
import type { AgentRef } from '../conversation/agent-ref.js';
import * as told from '../conversation/agent-words.js';
import { callsOf } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { effectsOf } from '../state/undo-notes.js';
import { didWork } from '../tools/tool-result.js';
import { rejectChanged, type BatchCall, type ReadyCall } from '../turn/batch-call.js';
import { companyOf, namesOf } from '../turn/company.js';
import { concat } from '../turn/concat.js';
import type { Turn } from '../turn/turn-context.js';
import type { AgentGate, GatedTurn, GatedWork } from '../turn/turn-parts.js';
import { CallGate, type GatedCall } from './call-gate.js';
import { ChangedResources, type Reader } from './changed-resources.js';
import { RequestPermits } from './request-permits.js';

/** What the turns of one root turn share. */
interface SharedGates {
  readonly calls: CallGate;
  readonly permits: RequestPermits;
  readonly changes: ChangedResources<AgentRef | undefined>;
}

/**
 * Creates the gate of a turn that the user sent. A call that runs when the gate is created counts as let in. The changes that the gate knows
 * are not in the log, so the gate of a resumed turn begins without these changes.
 *
 * @param mostRequests the limit `maxConcurrentRequests`
 */
export function rootGate(
  turn: GatedTurn & { readonly executing: Iterable<BatchCall> },
  mostRequests: number,
): AgentGate {
  const gate = new TurnGate(
    turn,
    { calls: new CallGate(), permits: new RequestPermits(mostRequests), changes: new ChangedResources() },
    [],
  );
  gate.tookIn(turn.executing);
  return gate;
}

/** Returns the gate of a turn that the user sent. The first run of an agent creates it. */
export function gateOf(root: Turn): AgentGate {
  return (root.parts.gate ??= rootGate(root, root.settings.limits.maxConcurrentRequests));
}

/** The gate as one turn uses it. */
class TurnGate implements AgentGate {
  private readonly reader: Reader = { read: 0, refused: new Map() };
  /** Gives the permit of the open request back, or leaves the queue. */
  private giveBack = () => {};

  constructor(
    private readonly turn: GatedTurn,
    private readonly shared: SharedGates,
    private readonly within: readonly string[],
  ) {}

  forChild(child: GatedTurn, callId: string): AgentGate {
    return new TurnGate(child, this.shared, [...this.within, callId]);
  }

  /** Takes calls in that run already. */
  tookIn(calls: Iterable<BatchCall>): void {
    for (const { ready } of calls) this.shared.calls.enter(this.gated([ready!]), () => {});
  }

  entering(call: BatchCall): Observable<TurnFact> | null {
    const { turn, shared } = this;
    const ready = call.ready!;
    let letIn = () => {};
    // Later, because a call of another turn that is being torn down may let this call in.
    const isInside = shared.calls.enter(this.gated([ready]), () => queueMicrotask(() => letIn()));
    if (isInside) {
      const fact = this.refused(call);
      return fact && concat(fact);
    }
    const waiting = new Observable<never>((subscriber) => {
      letIn = () => subscriber.complete();
      subscriber.add(turn.clock.hold());
    });
    const { cancellation } = turn;
    const bounded = ready.runsDespiteCancel
      ? cancellation.untilAborted<never>()
      : cancellation.untilCancelled<never>();
    return concat(waiting.pipe(bounded), () => this.refused(call) ?? []);
  }

  left({ ready }: BatchCall): void {
    const { turn, shared } = this;
    if (this.hasChanged(ready!)) shared.changes.changed(turn.agent, resourcesOf(ready!));
    shared.calls.leave(ready!.id);
  }

  async takingBack<R>(calls: readonly GatedWork[], work: () => Promise<R>): Promise<R> {
    const { turn, shared } = this;
    const gated = this.gated(calls, 'revert ');
    await new Promise<void>((resolve) => {
      if (shared.calls.enter(gated, resolve)) resolve();
    });
    try {
      return await work();
    } finally {
      shared.changes.changed(turn.agent, calls.flatMap(resourcesOf));
      shared.calls.leave(gated.id);
    }
  }

  requested(): void {
    this.shared.changes.requested(this.reader);
  }

  asking(request: Observable<TurnFact>): Observable<TurnFact> {
    if (this.turn.agent === undefined) return request;
    return new Observable((subscriber) => {
      subscriber.add(() => this.giveBack());
      concat(this.permitted(), request, () => {
        this.giveBack();
        return [];
      }).subscribe(subscriber);
    });
  }

  callInside(batch: Observable<TurnFact>): Observable<TurnFact> {
    if (this.turn.agent === undefined) return batch;
    const { cancellation } = this.turn;
    return concat(() => {
      this.giveBack();
      return [batch, this.permitted().pipe(cancellation.untilCancelled())];
    });
  }

  /** Completes when the request has its permit. */
  private permitted(): Observable<never> {
    return new Observable((subscriber) => {
      let isTaken = false;
      const goOn = () => subscriber.complete();
      this.giveBack = this.shared.permits.take(() => {
        isTaken = true;
        // Later, because a request of another turn that is being torn down may give its permit back.
        queueMicrotask(goOn);
      });
      if (isTaken) goOn();
      else subscriber.add(this.turn.clock.hold());
    });
  }

  private gated(calls: readonly GatedWork[], prefix = ''): GatedCall {
    return {
      id: prefix + calls.map(({ id }) => id).join(),
      parts: calls.map((call) => ({
        domain: call.tool.domain.id,
        company: companyOf(call, this.turn.ports),
      })),
      within: this.within,
    };
  }

  /** Returns the fact with which a call is refused because another agent has changed a resource of the call; null if the call may run. */
  private refused(call: BatchCall): TurnFact | null {
    const { turn, shared, reader } = this;
    // A call that may have acted is not refused: its result would say that it did not run.
    if (call.ready!.tool.readOnly || call.isInterrupted) return null;
    const refusal = shared.changes.refusal(turn.agent, reader, resourcesOf(call.ready!));
    if (refusal === null) return null;
    shared.calls.leave(call.ready!.id);
    const name = refusal.name.slice(call.ready!.tool.domain.id.length + 1);
    return rejectChanged(call, told.changedByAgent(refusal.by?.id, name));
  }

  /** Returns true if a call may have changed something: it did its work, it recorded an effect, or it was cut. */
  private hasChanged({ id, tool }: ReadyCall): boolean {
    const state = this.turn.current();
    const view = callsOf(state.liveTurn?.rounds.at(-1)).find((call) => call.id === id);
    if (tool.readOnly || view === undefined) return false;
    if (view.result === undefined) return view.state === 'executing';
    return (
      didWork(tool, view.result) || effectsOf(state, this.turn.effectsOf).some(({ callId }) => callId === id)
    );
  }
}

/** Returns the resources that a call names, each with its domain. If `resources` throws, the call counts as a call without resources. */
function resourcesOf({ tool, value }: GatedWork): readonly string[] {
  try {
    return (namesOf(tool, value) ?? []).map((name) => `${tool.domain.id} ${name}`);
  } catch {
    // `companyOf` has reported the error.
    return [];
  }
}
