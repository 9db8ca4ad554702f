import type { JsonObject } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import type { CallPreview, DigestedPreview } from '../operations/confirmation-operations.js';
import type { GuardQuestion } from '../operations/guard-question.js';
import type { BatchCall, ReadyCall } from '../turn/batch-call.js';
import type { AskingTurn } from '../turn/turn-request.js';
import { callPreview, hasPreview, showsTheSame, type PreviewedCall } from './call-preview.js';
import { DomainChanges, type Point } from './domain-changes.js';

/** A preview that was made, with its arguments, and the point of the turn at which it was begun. */
export interface MadePreview extends DigestedPreview {
  readonly arguments: JsonObject;
  readonly point: Point;
}

/** A call that the user approved. */
interface ApprovedCall {
  readonly question: GuardQuestion;
  /** The preview that the approval is for; null where none was shown, as it was lost with an earlier session. */
  preview: CallPreview | null;
  /** null where it is not known what has happened since. */
  point: Point | null;
  /** Whether the user was asked once more. */
  isAgain: boolean;
}

/** The most times that a preview is made before a call starts, while its domain changes meanwhile. */
const MOST_TIMES = 3;

/** The previews of a turn: those of the questions, and those that the user approved, which are compared before their calls start. */
export class TurnPreviews {
  readonly changes: DomainChanges;
  /** By id of the call. */
  private readonly approved = new Map<string, ApprovedCall>();
  /** The previews with which approved calls are asked about once more, by id of the call. */
  private readonly again = new Map<string, MadePreview>();

  constructor(private readonly turn: AskingTurn) {
    this.changes = new DomainChanges(turn);
  }

  /**
   * Makes the preview of a call with these arguments. Never rejects.
   *
   * @param signal ends the wait: the preview has failed then
   * @param before the preview of the same question; one that shows the same keeps its digest
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

  /** Whether something has happened since a preview was begun that may change it. */
  isOld({ point }: MadePreview, call: PreviewedCall): boolean {
    return this.changes.isBehind(point, call);
  }

  /** Takes the approvals over that the log has of these calls. */
  restore(calls: readonly BatchCall[]): void {
    const { previewed = {} } = this.turn.current().fold.turn?.round ?? {};
    for (const { requested, isInterrupted } of calls) {
      const { callId } = requested;
      const note = previewed[callId];
      // A call that runs again may have acted: its preview is another one then.
      if (note !== undefined && !isInterrupted && !this.approved.has(callId))
        this.approved.set(callId, { ...note, point: null });
    }
  }

  /** Is called when the user has approved a call. */
  approve(ready: ReadyCall, question: GuardQuestion, { preview, point }: MadePreview): void {
    const isAgain = this.approved.get(ready.id)?.isAgain ?? false;
    this.approved.set(ready.id, { question, preview, point, isAgain });
  }

  /** Whether the user was asked once more about a call. */
  isAgain({ requested }: BatchCall): boolean {
    return this.approved.get(requested.callId)?.isAgain ?? false;
  }

  /** Whether the preview that the user approved may be another one by now. */
  mayDiffer({ ready }: BatchCall): boolean {
    const approved = ready === null ? undefined : this.approved.get(ready.id);
    if (approved === undefined || !hasPreview(ready!)) return false;
    return approved.point === null || this.changes.isBehind(approved.point, ready!);
  }

  /**
   * Makes the preview of an approved call again. `again`: it is another one, and `questionAgain` has the question; `conflict`: it is for the second
   * time.
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

  /** Returns the preview with which a call is asked about once more, the first time that it is called; else undefined. */
  takeAgain({ id }: Pick<ReadyCall, 'id'>): MadePreview | undefined {
    const made = this.again.get(id);
    this.again.delete(id);
    return made;
  }
}
