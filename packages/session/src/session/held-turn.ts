import type { AgentSessionError, Input } from '@banister/provider';
import type { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import { nothingUndone, type TurnOutcome, type TurnRecord } from '../conversation/turn-record.js';
import type { Ids } from '../ports/ports.js';
import type { ShownState } from '../state/shown-state.js';
import type { SendOptions } from './agent-session.js';
import type { TurnEnd, TurnIds } from './prepared-turn.js';
import { hasFiles, kept, readInput, withoutFiles } from './read-input.js';
import type { RunningTurn } from './running-turn.js';
import type { LocalLine } from './session-handle.js';

/** A turn that was sent before the session was open. */
export interface SentTurn {
  readonly input: Input;
  readonly options: SendOptions | undefined;
  /**
   * Starts the turn in the session.
   *
   * @param args of `send` or `turn$`: the message as it was when it was sent, its options, and the ids that a view already shows
   */
  begin(line: LocalLine, args: Parameters<LocalLine['turn$']>): void;
  /** Rejects the promise of `send`. */
  refuse(error: AgentSessionError): void;
}

/**
 * How far a held turn is, and the function that stops showing it, from the next publication on.
 * - `starting`: it waits
 * - `ended`: it has ended before it could begin
 * - `recorded`: `running` records the turn, and ends as it did
 */
type Stage = { readonly hide: () => void } & (
  | { readonly at: 'starting' }
  | { readonly at: 'ended'; readonly end: TurnEnd }
  | { readonly at: 'recorded'; readonly end: TurnEnd; readonly running: RunningTurn }
);

/** A turn that waits until the session is open, and its record as views show it. */
export class HeldTurn {
  readonly input: Input;
  readonly ids: TurnIds;
  /** The turn as it starts; null for a message whose files have to be read first. */
  private readonly record: TurnRecord | null;
  private stage: Stage;

  constructor(
    readonly sent: SentTurn,
    ids: Ids,
    private readonly shown: ShownState,
  ) {
    const { input } = sent;
    const parts = readInput(withoutFiles(input).own);
    this.input = kept(input);
    const id = ids.next('turn');
    const message = ids.next('message');
    this.ids = { turn: id, message };
    this.record = hasFiles(input)
      ? null
      : {
          id,
          parentId: null,
          input: { id: message, role: 'user', parts },
          rounds: [],
          status: 'running',
          outcome: null,
          messageIds: [],
          effects: [],
        };
    this.stage = { at: 'starting', hide: shown.show(this.record) };
  }

  get isStarting(): boolean {
    return this.stage.at === 'starting';
  }

  /** null until the turn has ended. */
  get end(): TurnEnd | null {
    return this.stage.at === 'starting' ? null : this.stage.end;
  }

  /** The turn that records this turn; null if there is none. */
  get running(): RunningTurn | null {
    return this.stage.at === 'recorded' ? this.stage.running : null;
  }

  /** Whether the turn can be recorded. A message whose files were not read cannot. */
  get isRecordable(): boolean {
    return this.record !== null;
  }

  /** Stops showing the turn, from the next publication on. */
  hide(): void {
    this.stage.hide();
  }

  ends(end: TurnEnd, errors: ErrorInstances): void {
    const { record } = this;
    this.hide();
    const hide = record === null ? () => {} : this.shown.show(withEnd(record, end, errors));
    this.stage = { at: 'ended', end, hide };
  }

  /** @param running the turn that records this turn, which has ended */
  recordedBy(running: RunningTurn): void {
    if (this.stage.at === 'ended') this.stage = { ...this.stage, at: 'recorded', running };
  }
}

function withEnd(record: TurnRecord, end: TurnEnd, errors: ErrorInstances): TurnRecord {
  const outcome = outcomeOf(end);
  if ('error' in end) errors.remember(outcome.error!, end.error);
  return { ...record, status: outcome.status, outcome };
}

function outcomeOf(end: TurnEnd): TurnOutcome {
  const spent = { usage: null, rounds: 0 };
  if ('error' in end) return { status: 'failed', ...spent, error: end.error.toJSON(), report: nothingUndone };
  const isKept = end.cancel.sideEffects === 'keep';
  return { status: 'cancelled', ...spent, ...(isKept ? {} : { report: nothingUndone }) };
}
