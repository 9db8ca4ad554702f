import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { EffectFailure, FailureReason } from '../conversation/failure-reason.js';
import { childrenOf } from '../conversation/child-turns.js';
import type { CommittedEffect, UndoReport } from '../conversation/turn-record.js';
import type { CallEffects, EffectStepData, TurnUndo } from '../conversation/turn-undo.js';
import { movedOf, type Moved } from '../operations/moved.js';
import { touches, turnsInTheWay } from '../state/moved-ways.js';
import type { FoldState, UndoTurn } from '../state/session-state.js';
import { canBeRedone, canBeUndone, isOpenForRedo } from '../state/undo-entries.js';
import { agentsInTheWay, aloneIn, callIdsInside } from '../state/undo-groups.js';
import { noEffects } from '../state/undo-note.js';
import { callsIn, effectsOf, undoOf } from '../state/undo-notes.js';
import { findTurn } from '../state/tree.js';
import { isAmong, itemOf } from './closure-history.js';
import { differing, type Revisions } from './revisions.js';
import type { CommittedHandle, TakenBack } from './turn-transaction.js';

/** A committed turn that can be taken back, with its revisions from the log. */
export interface UndoableTurn extends Omit<TurnUndo, 'calls'> {
  readonly turnId: string;
  /** Present if only the effects of a child turn are meant, and those of the child turns inside it. */
  readonly child?: string;
  /** The ids of the calls whose effects are taken back or reapplied. Absent for all effects of the turn. */
  readonly callIds?: ReadonlySet<string>;
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

  /**
   * Returns the turn with this id.
   *
   * @param child the child turn whose effects are meant; absent for all effects
   */
  find(turnId: string, child?: string): UndoableTurn {
    const turn = { turnId, ...noEffects, ...undoOf(this.state(), turnId) };
    if (child === undefined) return turn;
    const record = findTurn(this.state(), turnId)?.turn;
    const found = record && childrenOf(record).find(({ id }) => id === child);
    if (found === undefined)
      throw new AgentSessionError('invalid-input', `The turn has no child turn "${String(child)}".`);
    const callIds = callIdsInside(record!, found);
    const touched = turn.calls.filter(({ callId }) => callIds.has(callId));
    return { ...turn, child, callIds, domains: turn.domains.filter((domain) => touches(touched, domain)) };
  }

  /**
   * Returns the part of a turn with the effects of a child turn; undefined if it cannot be undone, or redone. Throws `invalid-input` for an
   * unknown child turn.
   */
  part(turnId: string, child: string, direction: 'undo' | 'redo'): UndoableTurn | undefined {
    const turn = this.find(turnId, child);
    const entry = this.state().undoEntries.find((one) => one.turnId === turnId);
    const group = entry?.groups?.find((one) => one.child === child);
    const isPossible =
      direction === 'undo' ? group && canBeUndone(group) : group?.state !== 'done' && entry?.redoable;
    return group && isPossible ? turn : undefined;
  }

  /** Returns the committed effects that are meant. */
  private effectsOf({ turnId, callIds }: UndoableTurn): readonly CommittedEffect[] {
    return (findTurn(this.state(), turnId)?.turn.effects ?? []).filter(isAmong(callIds));
  }

  /** Returns the calls of the effects that are meant. */
  private callsOf({ turnId, callIds }: UndoableTurn): readonly CallEffects[] {
    const calls = effectsOf(this.state(), turnId);
    return callIds === undefined ? calls : calls.filter(({ callId }) => callIds.has(callId));
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
   * Throws `conflict` if other turns are in the way: they have to be undone, or made again, before this turn. In the way of a child turn may
   * also be other agents of its turn.
   *
   * @param force whether turns whose effects are missing are ignored
   */
  checkWay(turn: UndoableTurn, direction: 'undo' | 'redo', force = false): void {
    const { turnId, callIds } = turn;
    const { undoEntries } = this.state();
    const state = direction === 'undo' ? 'done' : 'undone';
    const entries = undoEntries
      .filter((entry) => !force || entry.turnId === turnId || !this.isAbsent(entry))
      .map((entry) => (entry.turnId === turnId && callIds !== undefined ? aloneIn(entry, state) : entry));
    const calls = callsIn(this.state(), callIds && { [turnId]: this.callsOf(turn) });
    const inTheWay = [...turnsInTheWay(entries, turnId, calls), ...this.agentsInTheWay(turn, direction)];
    if (inTheWay.length === 0) return;
    const what = callIds === undefined ? 'turns' : 'agents or turns';
    const message =
      direction === 'undo'
        ? `Later ${what} changed the same part of the app; they have to be undone first.`
        : `Other ${what} changed the same part of the app; they have to be made again, or undone, first.`;
    throw new AgentSessionError('conflict', message, { details: { inTheWay } });
  }

  private agentsInTheWay(turn: UndoableTurn, direction: 'undo' | 'redo'): readonly string[] {
    if (turn.callIds === undefined) return [];
    const record = findTurn(this.state(), turn.turnId)!.turn;
    return agentsInTheWay(record, effectsOf(this.state(), turn.turnId), turn.callIds, direction);
  }

  /** Returns true if a turn that can be redone, or whose undo is running, has an effect in the domain. */
  isOpenIn(domain: string): boolean {
    const { undoEntries, fold } = this.state();
    const open = undoEntries.filter(isOpenForRedo).map(({ turnId }) => turnId);
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
   * Returns a function that takes the turn back, or makes it again. Throws `undo-failed` if the app's history cannot restore the turn,
   * `nothing-to-undo` if a tool can no longer make its effect again, and `unsupported` if the history cannot move a part of a turn.
   */
  prepare(turn: UndoableTurn, direction: 'undo' | 'redo'): () => Promise<UndoStep> {
    const handle = this.handleOf(turn.turnId);
    const isRedoable = handle.reapply !== undefined;
    const { after, callIds } = turn;
    if (callIds !== undefined && !handle.groups)
      throw new AgentSessionError('unsupported', 'The undo history moves only the effects of a whole turn.');
    if (direction === 'undo') return () => this.run(turn, () => handle.revert(after, callIds), isRedoable);
    if (!isRedoable)
      throw new AgentSessionError('nothing-to-undo', 'The effects of this turn can no longer be redone.');
    return () => this.run(turn, () => handle.reapply!(after, callIds), isRedoable);
  }

  /**
   * Returns a function that finishes an undo or a redo of an earlier session. Its report includes the effects that the earlier session had
   * moved. If the remaining effects cannot be moved any more, they stay as they are.
   */
  prepareRest(turn: UndoableTurn, direction: 'undo' | 'redo'): () => Promise<UndoStep> {
    const effects = this.effectsOf(turn);
    const moved = this.movedCalls(turn, direction);
    let rest: () => Promise<UndoStep>;
    try {
      rest = this.prepare(turn, direction);
    } catch (error) {
      const others = effects.filter((effect) => !moved.has(effect.toolCallId));
      const refusal = toSessionError(error, 'undo-failed', '');
      rest = async () => this.refused(turn, direction, refusal, others);
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
  private movedCalls(turn: UndoableTurn, direction: 'undo' | 'redo'): ReadonlySet<string> {
    // An effect that was made again may be `lost` now, so its state only has to differ from `reverted`.
    const isMoved = ({ state, moves = 0 }: EffectStepData) =>
      direction === 'undo' ? state === 'reverted' : state !== 'reverted' && moves > 0;
    const calls = this.callsOf(turn).filter(
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
    { message, code, details }: AgentSessionError,
    effects = this.effectsOf(turn),
  ): UndoStep {
    const { held } = details;
    const because: FailureReason | undefined =
      code === 'nothing-to-undo'
        ? { code: 'not-redoable' }
        : held === true
          ? { code: 'other-not-restored' }
          : undefined;
    const those = (irreversible: boolean) =>
      effects.filter((effect) => effect.irreversible === irreversible).map(itemOf);
    const isThere = ({ state }: EffectStepData) => (state === 'reverted') === (direction === 'undo');
    const there = new Set(
      this.callsOf(turn)
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
      .undoEntries.filter(isOpenForRedo)
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
  changedSince(turn: UndoableTurn): readonly string[] {
    const changed = differing(turn.after, this.readRevisions());
    return turn.domains.filter((domain) => changed.includes(domain) && !this.isKeepingEdits(turn, domain));
  }

  private isKeepingEdits(turn: UndoableTurn, domain: string): boolean {
    const calls = this.callsOf(turn).filter(({ tool }) => tool.startsWith(`${domain}.`));
    const isByData = ({ irreversible, data }: EffectStepData) => irreversible || data !== undefined;
    return (
      calls.length > 0 && calls.every(({ tool, steps }) => this.keepsEdits(tool) && steps.every(isByData))
    );
  }
}
