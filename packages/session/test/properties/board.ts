import { conflict, type ToolOutcome } from '@banister/session';

/** The content of one place of the board. Each write makes a new one, so that its identity names the last write. */
interface Slot {
  readonly title: string | null;
  readonly writer: string;
}

/** One write of the agent, as the board remembers it. */
interface Change {
  readonly callId: string;
  readonly place: string;
  readonly before: Slot;
  readonly after: Slot;
  applied: boolean;
}

const nothing: Slot = { title: null, writer: 'none' };

/** How the next reverts and reapplies of an app's boards behave. */
export interface StepFaults {
  kind: 'none' | 'throw' | 'throw-once' | 'hang';
  /** How many steps succeed before the fault. */
  spared: number;
}

/**
 * An app for schedules: places with titles, written by the user and by tools, with a revision that moves with every
 * change. Takes the agent's writes back by inverse operations, and refuses where another write followed.
 */
export class Board {
  revision = 0;
  /** Letters that went out: they cannot be taken back. */
  readonly letters: string[] = [];
  /** Reverts that were asked to hang and never ended. */
  hanging = 0;
  private readonly places = new Map<string, Slot>();
  private readonly userWrites = new Map<string, Slot>();
  private readonly changes: Change[] = [];

  constructor(private readonly faults: StepFaults) {}

  /** Writes as the agent; returns the revert and the reapply of the write. */
  write(callId: string, place: string, title: string): { revert(): Step; reapply(): Step } {
    const change: Change = {
      callId,
      place,
      before: this.at(place),
      after: { title, writer: callId },
      applied: true,
    };
    this.changes.push(change);
    this.put(place, change.after);
    return {
      revert: () => this.step(change, change.after, change.before, false),
      reapply: () => this.step(change, change.before, change.after, true),
    };
  }

  send(callId: string): void {
    this.letters.push(callId);
  }

  /** Writes as the user, or with null deletes. */
  userEdit(place: string, title: string | null): void {
    const slot: Slot = { title, writer: 'user' };
    this.userWrites.set(place, slot);
    this.put(place, slot);
  }

  /** Whether something that the call did is in effect. */
  isApplied(callId: string): boolean {
    return this.letters.includes(callId) || this.isWritten(callId);
  }

  /** Whether something that the call wrote stands on the board. */
  isWritten(callId: string): boolean {
    return this.changes.some((change) => change.callId === callId && change.applied);
  }

  /** Places whose text of the user is gone, though no write of the agent that is in effect explains it. */
  lostUserEdits(): readonly string[] {
    return [...this.userWrites]
      .filter(([place, slot]) => !this.standsUnder(place, slot))
      .map(([place]) => place);
  }

  private standsUnder(place: string, wanted: Slot): boolean {
    let current: Slot | undefined = this.at(place);
    while (current !== undefined && current !== wanted) {
      const above: Slot = current;
      current = this.changes.find((change) => change.applied && change.after === above)?.before;
    }
    return current === wanted;
  }

  private step(change: Change, from: Slot, to: Slot, applied: boolean): Step {
    const { faults } = this;
    if (faults.spared > 0) faults.spared--;
    else if (faults.kind === 'throw' || faults.kind === 'throw-once') {
      if (faults.kind === 'throw-once') faults.kind = 'none';
      throw new Error('The board is locked.');
    } else if (faults.kind === 'hang') {
      this.hanging++;
      return new Promise<never>(() => {});
    }
    if (this.at(change.place) !== from || change.applied === applied) return conflict('as it was', 'changed');
    change.applied = applied;
    this.put(change.place, to);
    return undefined;
  }

  private at(place: string): Slot {
    return this.places.get(place) ?? nothing;
  }

  private put(place: string, slot: Slot): void {
    this.places.set(place, slot);
    this.revision++;
  }
}

type Step = void | ToolOutcome | Promise<void | ToolOutcome>;
