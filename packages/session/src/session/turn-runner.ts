import { readInput } from '../conversation/read-user-input.js';
import type { AgentSessionError, Message } from '@banister/provider';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { MessageSource, TurnRecord, UndoReport } from '../conversation/turn-record.js';
import type { HeadMoved } from '../operations/session-operations.js';
import type { Ports } from '../ports/ports.js';
import { Cancellation } from '../turn/cancellation.js';
import { QuestionDesk } from '../turn/question-desk.js';
import type { NextSettings, StructuredStages } from '../turn/turn-parts.js';
import { noJournal, type TurnHost, type TurnRequest } from '../turn/turn-request.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { SendOptions, TurnResult } from './agent-session.js';
import { turnSettings } from './pre-flight.js';
import type { PreparedTurn, TurnIds } from './prepared-turn.js';
import type { ReadInput } from './read-input.js';
import { RunningTurn, type Terminal, type TurnEnded } from './running-turn.js';
import type { SessionCore } from './session-core.js';
import type { SessionSettings } from './session-settings.js';
import { sendOptions } from './send-options.js';
import { turnOptions } from '../turn/turn-options.js';
import { turnPartsOf } from './turn-parts-of.js';

/** The parts of a session that its turns need. */
interface TurnRunnerOptions {
  readonly core: SessionCore;
  readonly ports: Ports;
  /** The option `history` of the session: undefined for the built-in history, null for none. */
  readonly history: UndoProvider | null | undefined;
  readonly host: TurnHost;
  readonly settings: SessionSettings;
}

/** Where a turn is in the conversation, and the stages of a turn of `generate`. */
interface TurnPlace extends Pick<TurnRequest, 'input' | 'from' | 'parentId' | 'retryOf'> {
  readonly id?: string | undefined;
  readonly structured?: StructuredStages | undefined;
}

/** Runs the turns of a session, one at a time. */
export class TurnRunner {
  /** Settles with the promise of the last started turn. */
  settled: Promise<unknown> = Promise.resolve();
  /** The running turn; null if no turn runs. */
  running: RunningTurn | null = null;

  constructor(private readonly options: TurnRunnerOptions) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** Resolves when the running turn ends; resolves at once if no turn runs. */
  get ended(): Promise<TurnEnded | undefined> {
    return this.running?.ended ?? Promise.resolve(undefined);
  }

  /** The report of the running turn as if it ended now; null if no turn runs. */
  get report(): UndoReport | null {
    return this.running?.report ?? null;
  }

  /**
   * Checks the message and the options of a turn before any state changes. Throws the errors with which `send` rejects.
   *
   * @param ids the ids of the turn and of its message, if a view already shows them
   * @param from where the message comes from; undefined if the user wrote it
   */
  prepare(
    { own, attached }: ReadInput,
    options: SendOptions = {},
    ids?: TurnIds,
    from?: MessageSource,
  ): PreparedTurn {
    const parts = readInput(own);
    const settings = this.settingsOf(parts, options);
    const message: Message = {
      id: ids?.message ?? this.options.ports.ids.next('message'),
      role: 'user',
      parts,
    };
    const parentId = this.options.core.state.headTurnId;
    const place = { id: ids?.turn, input: message, from, parentId, retryOf: undefined };
    const turn = this.prepared(place, settings, options);
    return attached.length === 0 ? turn : { ...turn, before: attached };
  }

  /**
   * Prepares the last turn again, as a sibling of the first attempt.
   *
   * @param move the move of the head from the first attempt to the turn before it
   */
  prepareRetry(last: TurnRecord, given: SendOptions, move: HeadMoved): PreparedTurn {
    const { options, settings } = this.retrySettings(last, given);
    const { input, from, parentId, id: retryOf } = last;
    return { ...this.prepared({ input, from, parentId, retryOf }, settings, options), before: [move] };
  }

  /** Returns the options and settings of a retry. Throws the errors with which `retry` rejects because of its options. */
  retrySettings(last: TurnRecord, given: SendOptions): { options: SendOptions; settings: NextSettings } {
    // The signal of the last attempt is not used, because it may have fired.
    const options = { ...sendOptions(last.options), ...given };
    return { options, settings: this.settingsOf(last.input.parts, options) };
  }

  /** Returns the settings of a turn. Throws the errors with which `send` rejects because of the message's files or the options. */
  settingsOf(parts: Message['parts'], options: SendOptions): NextSettings {
    return turnSettings(this.options, parts, options);
  }

  /** Prepares a turn with checked settings. */
  prepared(
    { id: given, structured, ...place }: TurnPlace,
    settings: NextSettings,
    options: SendOptions,
  ): PreparedTurn {
    const { core, ports, history, host } = this.options;
    const id = given ?? ports.ids.next('turn');
    const request: TurnRequest = {
      ...place,
      id,
      effectsOf: id,
      agent: undefined,
      options: turnOptions(options),
      structured: structured?.requested,
      settings,
      ports,
      tools: this.options.settings.tools,
      history,
      cancellation: new Cancellation(),
      state: () => core.state,
      current: () => core.store.current,
      host,
      journal: noJournal,
    };
    const makeParts = turnPartsOf(settings, structured ?? null);
    return { request, makeParts, signal: options.signal, before: [] };
  }

  /**
   * Starts a prepared turn. When it returns, the first operation has been delivered. If the clock throws, rethrows its error: then the turn
   * has no operation, and the session is free.
   */
  start(turn: PreparedTurn): Promise<TurnResult> {
    const running = this.open(turn);
    running.run();
    const result = running.ended.then(({ terminal, stored }) =>
      stored === undefined ? this.resultOf(terminal) : stored.then(() => this.resultOf(terminal)),
    );
    this.settled = result;
    return result;
  }

  /** Emits the first operation of a turn. The caller then runs the turn, or ends it at once. */
  open({ request, makeParts, signal, before, resumption }: PreparedTurn): RunningTurn {
    const { core, host } = this.options;
    host.desk = new QuestionDesk();
    const release = () => {
      this.running = null;
      signal?.removeEventListener('abort', abort);
    };
    // The head may have moved since the turn was prepared: meanwhile the log was opened, or an interrupted turn was ended.
    const isNew = resumption === undefined && !before.some(({ type }) => type === 'headMoved');
    const parentId = isNew ? core.state.headTurnId : request.parentId;
    const placed = { ...request, parentId, journal: core.journal?.forTurn() ?? noJournal };
    const running = new RunningTurn(core, placed, makeParts, release, resumption);
    const abort = () => running.cancel({ immediate: true });
    this.running = running;
    signal?.addEventListener('abort', abort, { once: true });
    try {
      running.open(before);
    } catch (error) {
      release();
      throw toSessionError(error, 'provider-contract', 'The turn could not be started.');
    }
    return running;
  }

  /**
   * Stops the running turn without an end, because another session decides about it, or this session does later. Returns false if no turn
   * runs.
   */
  leave(error: AgentSessionError): boolean {
    const { running } = this;
    running?.leave(error);
    return running !== null;
  }

  /** If the turn with this id runs, aborts it: the subscriber of its `turn$` has unsubscribed. */
  abort(turnId: string): void {
    if (this.running?.request.id === turnId) void this.running.cancel({ immediate: true });
  }

  private resultOf(terminal: Terminal): TurnResult {
    switch (terminal.type) {
      case 'completed':
      case 'stopped': {
        const { type: status, text, messages, usage, rounds } = terminal;
        const stop = terminal.type === 'stopped' ? terminal.stop : undefined;
        return defined({ status, text, messages, usage, rounds, stop });
      }
      case 'cancelled':
        throw cancelledError();
      case 'failed':
        throw this.options.core.errors.of(terminal.error);
    }
  }
}
