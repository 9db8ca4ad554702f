import type { JsonObject } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import type { CallPreview, DigestedPreview } from './confirmation-operations.js';
import type { GuardQuestion } from '../operations/guard-question.js';
import type { BatchCall, ReadyCall } from '../turn/batch-call.js';
import type { QuestionDesk } from '../turn/question-desk.js';
import type { Turn } from '../turn/turn-context.js';
import { callPreview, hasPreview, showsTheSame, type PreviewedCall } from './call-preview.js';
import { DomainChanges, type Point } from './domain-changes.js';

/** A preview with its arguments, and the point of the turn at which making it began. */
export interface MadePreview extends DigestedPreview {
  readonly arguments: JsonObject;
  readonly point: Point;
}

/** A call that the user approved. */
interface ApprovedCall {
  readonly question: GuardQuestion;
  /** The approved preview; null if none is known, because it was lost with an earlier session. */
  preview: CallPreview | null;
  /** The point at which it was made; null if it is unknown what has happened since. */
  point: Point | null;
  /** Whether the user was asked again. */
  isAgain: boolean;
}

/** What the agents of a turn notice together, because a call of each agent may change the preview of another agent's call. */
const noticed = new WeakMap<QuestionDesk, DomainChanges>();

/** How many times a preview is made before a call starts, if its domain changes meanwhile. */
const MOST_TIMES = 3;

/** The previews of a turn: the previews of questions, and the approved previews, which are compared before their calls start. */
export class TurnPreviews {
  readonly changes: DomainChanges;
  /** By call id: the approved calls. */
  private readonly approved = new Map<string, ApprovedCall>();
  /** By call id: the new previews of approved calls about which the user is asked again. */
  private readonly again = new Map<string, MadePreview>();

  constructor(private readonly turn: Turn) {
    const { desk } = turn.host;
    // The turn that the user sent comes first. Its state has the changes of all agents.
    this.changes = noticed.get(desk) ?? new DomainChanges(turn);
    noticed.set(desk, this.changes);
  }

  /**
   * Makes the preview of a call with these arguments. Never rejects.
   *
   * @param signal ends the wait; then the result is a failed preview
   * @param before the earlier preview of the same question; if the new preview shows the same, it keeps the digest
   */
  async make(
    call: PreviewedCall,
    args: JsonObject,
    signal: AbortSignal,
    before?: DigestedPreview,
  ): Promise<MadePreview> {
    const { clock, ids } = this.turn.ports;
    const point = this.changes.pointOf(call);
    const preview = await callPreview(call, args, clock, signal);
    const isSame = before !== undefined && sameJson(before.preview, preview);
    return { preview, digest: isSame ? before.digest : ids.next('preview'), arguments: args, point };
  }

  /** Returns true if something has happened that may change a preview, since making it began. */
  isOld({ point }: MadePreview, call: PreviewedCall): boolean {
    return this.changes.isBehind(point, call);
  }

  /** Takes the approvals of these calls over from the log. */
  restore(calls: readonly BatchCall[]): void {
    const { previewed = {} } = this.turn.current().fold.turn?.round ?? {};
    for (const { requested, isInterrupted } of calls) {
      const { callId } = requested;
      const note = previewed[callId];
      // An interrupted call may have acted, so its preview must be different now and is not compared.
      if (note !== undefined && !isInterrupted && !this.approved.has(callId))
        this.approved.set(callId, { ...note, point: null });
    }
  }

  /** Called when the user has approved a call. */
  approve(ready: ReadyCall, question: GuardQuestion, { preview, point }: MadePreview): void {
    const isAgain = this.approved.get(ready.id)?.isAgain ?? false;
    this.approved.set(ready.id, { question, preview, point, isAgain });
  }

  /** Returns true if the user was asked again about a call. */
  isAgain({ requested }: BatchCall): boolean {
    return this.approved.get(requested.callId)?.isAgain ?? false;
  }

  /** Returns true if the approved preview of a call may be different now. */
  mayDiffer({ ready }: BatchCall): boolean {
    const approved = ready === null ? undefined : this.approved.get(ready.id);
    if (approved === undefined || !hasPreview(ready!)) return false;
    return approved.point === null || this.changes.isBehind(approved.point, ready!);
  }

  /**
   * Makes the preview of an approved call again, and compares it. `same`: it is the same. `again`: it is different, and the user has to be
   * asked again. `conflict`: it is different for the second time.
   */
  async compare(call: BatchCall, signal: AbortSignal): Promise<'same' | 'again' | 'conflict'> {
    const ready = call.ready!;
    const approved = this.approved.get(ready.id)!;
    for (let times = 0; times < MOST_TIMES; times++) {
      const made = await this.make(ready, ready.arguments, signal);
      const { preview: seen } = approved;
      if (seen !== null && !showsTheSame(seen, made.preview)) {
        if (approved.isAgain) return 'conflict';
        approved.isAgain = true;
        this.again.set(ready.id, made);
        call.confirm = approved.question;
        return 'again';
      }
      approved.preview ??= made.preview;
      approved.point = made.point;
      if (!this.isOld(made, ready)) break;
    }
    return 'same';
  }

  /**
   * Returns the preview with which the user is asked again about a call; undefined if there is none. Removes it, so that a second call
   * returns undefined.
   */
  takeAgain({ id }: Pick<ReadyCall, 'id'>): MadePreview | undefined {
    const made = this.again.get(id);
    this.again.delete(id);
    return made;
  }
}
