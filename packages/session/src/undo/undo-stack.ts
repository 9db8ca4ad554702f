import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { EffectFailure, FailureReason } from '../conversation/failure-reason.js';
import type { TurnRecord, UndoReport } from '../conversation/turn-record.js';
import type { EffectStepData, TurnUndo } from '../conversation/turn-undo.js';
import { movedOf, type Moved } from '../operations/moved.js';
import { touches, turnsInTheWay } from '../state/moved-ways.js';
import type { FoldState, UndoTurn } from '../state/session-state.js';
import { canBeRedone, canBeUndone } from '../state/undo-entries.js';
import { noEffects } from '../state/undo-note.js';
import { callsIn, effectsOf, undoOf } from '../state/undo-notes.js';
import { findTurn } from '../state/tree.js';
import { itemOf } from './closure-history.js';
import { differing, type Revisions } from './revisions.js';
import type { CommittedHandle, TakenBack } from './turn-transaction.js';

/** A committed turn that can be taken back, with its revisions from the log. */
export interface UndoableTurn extends Omit<TurnUndo, 'calls'> {
  readonly turnId: string;
}

/** The result of an undo or a redo. */
export interface UndoStep {
  readonly report: UndoReport;
  /** Whether the turn can be redone after an undo. */
  readonly redoable: boolean;
  /** The revisions before and after the step, of the domains of the turn and of every other domain that changed. */
  readonly moved: Moved;
}

/** The failure of an effect that an interrupted redo could not make again. */
const notAgain: EffectFailure = {
  reason: 'It can no longer be redone.',
  because: { code: 'not-redoable' },
};

/**
 * The committed turns of a session. By default the newest turn is undone, and the turn that was undone last is redone. Any other turn can
 * be undone or redone alone, if `checkWay` finds no turn in its way. `check` refuses to overwrite a change that the user has made since. A
 * turn that was redone in part can be both undone and redone: undo takes back the effects that were made again, and redo tries the rest.
 *
 * The lists, their order and the revisions are in the state, and operations change them. Only the handles, which hold code, are kept here.
 */
export class UndoStack {
  /** The handles, by turn id. */
  private readonly handles = new Map<string, CommittedHandle>();

  constructor(
    private readonly state: () => FoldState,
    private readonly readRevisions: () => Revisions,
    /** Returns the handle of a turn that an earlier session committed. */
    private readonly restore: (turnId: string) => CommittedHandle,
    /** Called when effects were moved. */
    private readonly moved: () => void = () => {},
    /** Returns true if the undo code of a tool, given by its id, keeps edits of the user. */
    private readonly keepsEdits: (tool: string) => boolean = () => false,
  ) {}

  /** Keeps the handle of a committed turn. */
  keep(turnId: string, handle: CommittedHandle): void {
    this.handles.set(turnId, handle);
  }

  /** Drops the handles, because another session has owned the log, and may have moved the effects of turns. */
  forget(): void {
    this.handles.clear();
  }

  /** Returns the handle of a turn. The handle of a turn of an earlier session is created when it is first needed. */
  private handleOf(turnId: string): CommittedHandle {
    const handle = this.handles.get(turnId) ?? this.restore(turnId);
    this.handles.set(turnId, handle);
    return handle;
  }

  /**
   * Returns the turn that the next undo or redo is about: the newest turn in force, or the turn that was undone last.
   *
   * @param force whether turns whose effects are missing are skipped, if there is another turn
   */
  next(direction: 'undo' | 'redo', force = false): UndoableTurn | undefined {
    const { undoEntries, fold } = this.state();
    if (direction === 'undo') {
      const open = undoEntries.filter(canBeUndone);
      return this.turnOf((force && open.findLast((entry) => !this.isAbsent(entry))) || open.at(-1));
    }
    const redoable = undoEntries.filter(canBeRedone);
    const undone = fold.redo.flatMap((id) => redoable.filter(({ turnId }) => turnId === id));
    return this.turnOf(undone.at(-1) ?? redoable[0]);
  }

  /** Returns the turn with this id; undefined if it cannot be undone, or redone. */
  named(turnId: string, direction: 'undo' | 'redo'): UndoableTurn | undefined {
    const isPossible = direction === 'undo' ? canBeUndone : canBeRedone;
    return this.turnOf(
      this.state().undoEntries.find((entry) => entry.turnId === turnId && isPossible(entry)),
    );
  }

  private turnOf(entry: UndoTurn | undefined): UndoableTurn | undefined {
    const turn = entry && undoOf(this.state(), entry.turnId);
    return turn && { turnId: entry.turnId, ...turn };
  }

  /** Returns true if the effects of a turn can be made again. Throws `undo-failed` as `prepare` does. */
  isRedoable(turnId: string): boolean {
    return this.handleOf(turnId).reapply !== undefined;
  }

  /** Returns the turn with this id. */
  find(turnId: string): UndoableTurn {
    return { turnId, ...noEffects, ...undoOf(this.state(), turnId) };
  }

  /** Returns true if the last undo of a turn found that all its remaining effects are missing. */
  private isAbsent({ turnId, state }: UndoTurn): boolean {
    const failed = findTurn(this.state(), turnId)?.turn.undo?.report.failed ?? [];
    return (
      state === 'partly-undone' &&
      failed.length > 0 &&
      failed.every(({ because }) => because?.code === 'absent')
    );
  }

  /**
   * Throws `conflict` if other turns are in the way: they have to be undone, or made again, before this turn.
   *
   * @param force whether turns whose effects are missing are ignored
   */
  checkWay({ turnId }: UndoableTurn, direction: 'undo' | 'redo', force = false): void {
    const { undoEntries } = this.state();
    const isMeant = (entry: UndoTurn) => !force || entry.turnId === turnId || !this.isAbsent(entry);
    const inTheWay = turnsInTheWay(undoEntries.filter(isMeant), turnId, callsIn(this.state()));
    if (inTheWay.length === 0) return;
    const message =
      direction === 'undo'
        ? 'Later turns changed the same part of the app; they have to be undone first.'
        : 'Other turns changed the same part of the app; they have to be made again, or undone, first.';
    throw new AgentSessionError('conflict', message, { details: { inTheWay: [...inTheWay] } });
  }

  /** Returns true if a turn that can be redone, or whose undo is running, has an effect in the domain. */
  isOpenIn(domain: string): boolean {
    const { undoEntries, fold } = this.state();
    const open = undoEntries.filter(canBeRedone).map(({ turnId }) => turnId);
    const running = fold.undoing?.direction === 'undo' ? [fold.undoing.target] : [];
    const calls = callsIn(this.state());
    return [...open, ...running].some((turnId) => touches(calls(turnId), domain));
  }

  /** Throws `conflict` if the user has changed a domain of the turn since. */
  check(turn: UndoableTurn, direction: 'undo' | 'redo'): void {
    const changed = this.changedSince(turn);
    if (changed.length === 0) return;
    throw new AgentSessionError(
      'conflict',
      `${changed.join(', ')} changed since. ${direction === 'undo' ? 'Undoing' : 'Re-doing'} now could overwrite that.`,
      { details: { domains: [...changed] } },
    );
  }

  /**
   * Returns a function that takes the turn back, or makes it again. Throws `undo-failed` if the app's history cannot restore the turn, and
   * `nothing-to-undo` if a tool can no longer make its effect again.
   */
  prepare(turn: UndoableTurn, direction: 'undo' | 'redo'): () => Promise<UndoStep> {
    const handle = this.handleOf(turn.turnId);
    const isRedoable = handle.reapply !== undefined;
    if (direction === 'undo') return () => this.run(turn, () => handle.revert(turn.after), isRedoable);
    if (!isRedoable)
      throw new AgentSessionError('nothing-to-undo', 'The effects of this turn can no longer be redone.');
    return () => this.run(turn, () => handle.reapply!(turn.after), isRedoable);
  }

  /**
   * Returns a function that finishes an undo or a redo of an earlier session. Its report includes the effects that the earlier session had
   * moved. If the remaining effects cannot be moved any more, they stay as they are.
   */
  prepareRest(turn: UndoableTurn, direction: 'undo' | 'redo'): () => Promise<UndoStep> {
    const { effects = [] } = findTurn(this.state(), turn.turnId)?.turn ?? {};
    const moved = this.movedCalls(turn, direction);
    let rest: () => Promise<UndoStep>;
    try {
      rest = this.prepare(turn, direction);
    } catch (error) {
      const others = effects.filter((effect) => !moved.has(effect.toolCallId));
      rest = async () => this.refused(turn, direction, others, toSessionError(error, 'undo-failed', ''));
    }
    return async () => {
      const { report, ...step } = await rest();
      // The handle is only for this redo, because it may leave out effects without code.
      if (direction === 'redo') this.handles.delete(turn.turnId);
      const listed = new Set(
        [...report.done, ...report.failed, ...report.lost].map((item) => item.toolCallId),
      );
      const others = effects.filter(({ toolCallId: id, irreversible }) => !irreversible && !listed.has(id));
      const done = others.filter(({ toolCallId: id }) => moved.has(id)).map(itemOf);
      const left = direction === 'undo' ? [] : others.filter(({ toolCallId: id }) => !moved.has(id));
      const failed = left.map((effect) => ({ ...itemOf(effect), ...notAgain }));
      return {
        ...step,
        report: { ...report, done: [...report.done, ...done], failed: [...report.failed, ...failed] },
      };
    };
  }

  /** Returns the ids of the calls that an undo or a redo has already moved. */
  private movedCalls({ turnId }: UndoableTurn, direction: 'undo' | 'redo'): ReadonlySet<string> {
    // An effect that was made again may be `lost` now, so its state only has to differ from `reverted`.
    const isMoved = ({ state, moves = 0 }: EffectStepData) =>
      direction === 'undo' ? state === 'reverted' : state !== 'reverted' && moves > 0;
    const calls = effectsOf(this.state(), turnId).filter(
      ({ irreversible, steps }) => !irreversible && steps.every(isMoved),
    );
    return new Set(calls.map(({ callId }) => callId));
  }

  /**
   * Returns the result of an undo or a redo that could not begin: every effect that it would have moved counts as failed, and is as it was.
   */
  refused(
    turn: UndoableTurn,
    direction: 'undo' | 'redo',
    effects: TurnRecord['effects'],
    { message, code, details }: AgentSessionError,
  ): UndoStep {
    const { held } = details;
    const because: FailureReason | undefined =
      code === 'nothing-to-undo'
        ? { code: 'not-redoable' }
        : held === true
          ? { code: 'other-not-restored' }
          : undefined;
    const those = (irreversible: boolean) =>
      effects
        .filter((effect) => effect.irreversible === irreversible)
        .map(({ toolCallId, toolName, description }) => ({ toolCallId, toolName, description }));
    const isThere = ({ state }: EffectStepData) => (state === 'reverted') === (direction === 'undo');
    const there = new Set(
      effectsOf(this.state(), turn.turnId)
        .filter(({ steps }) => steps.every(isThere))
        .map(({ callId }) => callId),
    );
    const failed = those(false)
      .filter(({ toolCallId }) => !there.has(toolCallId))
      .map((item) => defined({ ...item, reason: message, because }));
    return {
      report: { done: [], failed, irreversible: those(true), lost: [], unknown: [] },
      redoable: false,
      moved: movedOf(turn.domains, turn.after, turn.after),
    };
  }

  /** Returns true if the user may have changed a domain since the session left it: the domain has no revision, or another one. */
  isChanged(domain: string): boolean {
    const revision = this.readRevisions()[domain];
    const turns = this.state()
      .undoEntries.filter(canBeRedone)
      .map(({ turnId }) => this.find(turnId));
    return turns.some(
      ({ domains, after }) =>
        domains.includes(domain) && (revision === undefined || after[domain] !== revision),
    );
  }

  private async run(
    { domains }: UndoableTurn,
    step: () => Promise<TakenBack>,
    isRedoable: boolean,
  ): Promise<UndoStep> {
    const from = this.readRevisions();
    const { report, known } = await step().finally(this.moved);
    const concerned = new Set([...domains, ...differing(from, known)]);
    // After a partial undo the turn can still be undone, so that the next undo tries the rest.
    const redoable = isRedoable && report.failed.length === 0;
    return { report, redoable, moved: movedOf([...concerned], from, known) };
  }

  /**
   * Returns the domains of the turn that the user has changed since the session left them. A domain is left out if the undo code of all its
   * effects keeps edits of the user.
   */
  changedSince({ turnId, domains, after }: UndoableTurn): readonly string[] {
    const changed = differing(after, this.readRevisions());
    return domains.filter((domain) => changed.includes(domain) && !this.isKeepingEdits(turnId, domain));
  }

  private isKeepingEdits(turnId: string, domain: string): boolean {
    const calls = effectsOf(this.state(), turnId).filter(({ tool }) => tool.startsWith(`${domain}.`));
    const isByData = ({ irreversible, data }: EffectStepData) => irreversible || data !== undefined;
    return (
      calls.length > 0 && calls.every(({ tool, steps }) => this.keepsEdits(tool) && steps.every(isByData))
    );
  }
}
