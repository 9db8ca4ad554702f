import { mayRunTogether, type Company } from '../turn/company.js';

/** What a call does in its domain. */
export interface GatedPart {
  readonly domain: string;
  readonly company: Company;
}

/** A call of an agent, or the taking back of effects of several calls, in the form for the gate. */
export interface GatedCall {
  readonly id: string;
  readonly parts: readonly GatedPart[];
  /** The ids of the calls in which the agent runs, from the outermost to the innermost. */
  readonly within: readonly string[];
}

interface WaitingCall extends GatedCall {
  /** The ids of the calls that have to leave before this call is let in. */
  readonly waitsFor: Set<string>;
  letIn(): void;
}

/**
 * Lets the calls of the agents of a turn in. Two calls exclude each other if they have parts in the same domain that may not run together.
 * Calls that exclude each other are let in in order of arrival.
 *
 * A call does not wait for a call that ends only after it: for a call in which its own agent runs, or for a call that waits, directly or by
 * a child turn, for such a call. So calls never wait for each other in a circle.
 */
export class CallGate {
  /** The calls that are inside, and the waiting calls, by id, in order of arrival. */
  private readonly inside = new Map<string, GatedCall>();
  private readonly waiting = new Map<string, WaitingCall>();

  /**
   * Lets a call in, now or later.
   *
   * @param letIn called when a call that had to wait is inside
   * @returns true if the call is inside now; then `letIn` is not called
   */
  enter(call: GatedCall, letIn: () => void): boolean {
    if (this.inside.has(call.id)) return true;
    const earlier = [...this.waiting.values()].filter((other) => !this.endsAfter(other.id, call));
    const others = [...this.inside.values(), ...earlier].filter((other) => excludes(call, other));
    const coming = { ...call, waitsFor: new Set(others.map(({ id }) => id)), letIn };
    const isFree = this.isFree(coming);
    if (isFree) this.takeIn(call);
    else this.waiting.set(call.id, coming);
    return isFree;
  }

  /** Called when a call has ended, or does not wait any more. Does nothing for a call that is not at the gate. */
  leave(id: string): void {
    if (!this.inside.delete(id) && !this.waiting.delete(id)) return;
    for (const { waitsFor } of this.waiting.values()) waitsFor.delete(id);
    const entered: WaitingCall[] = [];
    for (let next = this.nextFree(); next !== undefined; next = this.nextFree()) {
      this.waiting.delete(next.id);
      this.takeIn(next);
      entered.push(next);
    }
    // A call that is let in may make another call of this list leave.
    for (const call of entered) if (this.inside.get(call.id) === call) call.letIn();
  }

  private nextFree(): WaitingCall | undefined {
    return [...this.waiting.values()].find((call) => this.isFree(call));
  }

  private isFree(call: WaitingCall): boolean {
    return [...call.waitsFor].every((other) => this.endsAfter(other, call));
  }

  private takeIn(call: GatedCall): void {
    this.inside.set(call.id, call);
    // The call may have overtaken calls that wait.
    for (const other of this.waiting.values()) if (excludes(call, other)) other.waitsFor.add(call.id);
  }

  /** Returns true if a call can leave only after another call: it waits for that call, or for a call around it. */
  private endsAfter(id: string, other: GatedCall, seen = new Set<string>()): boolean {
    if (id === other.id || other.within.includes(id)) return true;
    if (seen.has(id)) return false;
    seen.add(id);
    const inIt = [...this.waiting.values()].filter(({ within }) => within.includes(id));
    const next = [...(this.waiting.get(id)?.waitsFor ?? []), ...inIt.map((one) => one.id)];
    return next.some((one) => this.endsAfter(one, other, seen));
  }
}

function excludes(a: GatedCall, b: GatedCall): boolean {
  return a.parts.some(({ domain, company }) =>
    b.parts.some((other) => other.domain === domain && !mayRunTogether(company, other.company)),
  );
}
