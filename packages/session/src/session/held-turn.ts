import { readInput } from '../conversation/read-user-input.js';
import type { AgentSessionError, Input } from '@banister/provider';
import type { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import { nothingUndone, type TurnOutcome, type TurnRecord } from '../conversation/turn-record.js';
import type { Ids } from '../ports/ports.js';
import type { ShownState } from '../state/shown-state.js';
import type { SendOptions } from './agent-session.js';
import type { TurnEnd, TurnIds } from './prepared-turn.js';
import { hasFiles, withOwnLists, withoutFiles } from './read-input.js';
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

/** What is shown of a held turn, and its end. */
type Stage =
  | { readonly hide: () => void; readonly end: null }
  | {
      readonly hide: () => void;
      readonly end: TurnEnd;
      /** The turn that records this turn, and ends as it did; undefined before, and if the turn could not begin. */
      readonly running?: RunningTurn;
    };

/** A turn that waits until the session is open, and its record as views show it. */
export class HeldTurn {
  readonly input: Input;
  readonly ids: TurnIds;
  /** The turn as it starts; null for a message whose files have to be read first. */
  readonly record: TurnRecord | null;
  stage: Stage;

  constructor(
    readonly sent: SentTurn,
    ids: Ids,
    private readonly shown: ShownState,
  ) {
    const { input } = sent;
    const parts = readInput(withoutFiles(input).own);
    this.input = withOwnLists(input);
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
    this.stage = { end: null, hide: shown.show(this.record) };
  }

  ends(end: TurnEnd, errors: ErrorInstances): void {
    const { record, stage } = this;
    stage.hide();
    this.stage = { ...stage, end };
    if (record === null) return;
    const outcome = outcomeOf(end);
    if ('error' in end) errors.remember(outcome.error!, end.error);
    this.stage = { end, hide: this.shown.show({ ...record, status: outcome.status, outcome }) };
  }
}

function outcomeOf(end: TurnEnd): TurnOutcome {
  const spent = { usage: null, rounds: 0 };
  if ('error' in end) return { status: 'failed', ...spent, error: end.error.toJSON(), report: nothingUndone };
  const isKept = end.cancel.sideEffects === 'keep';
  return { status: 'cancelled', ...spent, ...(isKept ? {} : { report: nothingUndone }) };
}
