import type { JsonObject } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { AgentSession } from './agent-session.js';
import type { CommandLog } from './command-log.js';
import {
  errorOf,
  forgottenAnswer,
  interruptedCommand,
  receiptOf,
  refusal,
  type CommandedSession,
  type ReceivedCommand,
} from './command-messages.js';

/** A command that has arrived, and has not ended. */
type Open =
  | {
      readonly at: 'held';
      readonly receipt: Promise<JsonObject>;
      /** The ids of the commands after which this command was sent. This command begins when one of those commands has begun. */
      readonly after: Set<string>;
      begin(): void;
    }
  | {
      readonly at: 'running';
      readonly receipt: Promise<JsonObject>;
      /** Aborts the turn of the command. */
      readonly aborter: AbortController;
    };

interface ReceiptsOptions {
  /**
   * The name of this host. Without a log, a command that is sent again and names another host is not begun. Undefined if commands name no
   * host.
   */
  readonly host?: string | undefined;
  /** Knows the commands that the owners of the log have begun; undefined for a session without a log. */
  readonly log?: CommandLog | undefined;
}

/** How many receipts are kept, for commands that arrive again. */
const KEPT_RECEIPTS = 256;
/** How many ids are kept of the commands before the commands with a kept receipt. */
const KEPT_IDS = 10_000;

/**
 * Carries out the commands of other sessions, each once for its id. If a command arrives again, its sender gets the same receipt again. The
 * last 256 receipts are kept. Of the 10,000 commands before those, only the ids are kept: if such a command arrives again, the command is not
 * carried out, and rejects `interrupted`. If the session has a log, commands that an earlier owner of the log has begun are not begun again
 * either, see {@link CommandLog}.
 *
 * A command that names another command in `after` begins after that other command, in whatever order the two arrive. If the other command is
 * refused in transit, the sender sends the first command again, with an earlier command in `after`.
 */
export class Receipts {
  /** The commands that have not ended, by their ids. */
  private readonly open = new Map<string, Open>();
  /** The kept receipts of ended commands, oldest first. */
  private readonly answers = new Map<string, JsonObject>();
  /** The ids of commands that ended before the commands in `answers`, oldest first. */
  private readonly forgotten = new Set<string>();

  private readonly host: string | undefined;
  private readonly log: CommandLog | undefined;

  constructor(
    private readonly session: CommandedSession,
    { host, log }: ReceiptsOptions,
  ) {
    this.host = host;
    this.log = log;
  }

  /**
   * Resolves with the message for the sender when the command has ended. With a log it rejects if this session was disposed, or lost its
   * log, before the end of the command: the next owner has the receipt.
   */
  receiptOf(command: ReceivedCommand): Promise<JsonObject> {
    const { id, after } = command;
    const known = this.open.get(id);
    if (known !== undefined) {
      if (known.at === 'held') this.reorder(known, after);
      return known.receipt;
    }
    const answer = this.answerTo(id);
    if (answer) return Promise.resolve(answer);
    return this.mayBegin(after) ? this.begin(command) : this.hold(command, after!);
  }

  /** Returns true if this command has arrived before, or an earlier owner of the log has begun it. */
  has({ id }: Pick<ReceivedCommand, 'id'>): boolean {
    return this.answerTo(id) !== undefined || this.log?.has(id) === true;
  }

  /** Returns the receipt of an ended command; null while it runs; undefined if it did not arrive here. */
  answerTo(id: string): JsonObject | null | undefined {
    if (this.open.has(id)) return null;
    return this.forgotten.has(id) ? refusal(id, forgottenAnswer()) : this.answers.get(id);
  }

  /** Returns true if a command names no other command in `after`, or the named command has begun. */
  private mayBegin(after: string | undefined): boolean {
    return after === undefined || (this.has({ id: after }) && this.open.get(after)?.at !== 'held');
  }

  private hold(command: ReceivedCommand, after: string): Promise<JsonObject> {
    let begin!: () => void;
    const receipt = new Promise<void>((resolve) => (begin = resolve)).then(() => this.begin(command));
    this.open.set(command.id, { at: 'held', receipt, after: new Set([after]), begin });
    return receipt;
  }

  /** Handles a waiting command that arrives again. */
  private reorder(held: Extract<Open, { at: 'held' }>, after: string | undefined): void {
    if (this.mayBegin(after)) held.begin();
    else held.after.add(after!);
  }

  private begin(command: ReceivedCommand): Promise<JsonObject> {
    const { id, host, of } = command;
    const aborter = new AbortController();
    // The command was first sent to an earlier host, which may have begun it. With a log, the log decides.
    const isOfAnother = this.log === undefined && host !== undefined && host !== this.host;
    const receipt = isOfAnother
      ? Promise.resolve(refusal(id, interruptedCommand()))
      : of === undefined
        ? this.carryOut(command, aborter.signal)
        : this.abort(of, id);
    this.open.set(id, { at: 'running', receipt, aborter });
    receipt.then(
      (message) => this.keep(id, message),
      () => this.open.delete(id),
    );
    for (const other of this.open.values()) if (other.at === 'held' && other.after.has(id)) other.begin();
    return receipt;
  }

  private async carryOut(command: ReceivedCommand, aborted: AbortSignal): Promise<JsonObject> {
    const message = await receiptOf(this.session, command, aborted, this.log);
    if (this.log !== undefined && isLeft(message)) throw left();
    return message;
  }

  /** If a command still runs, aborts its turn. */
  private async abort(command: string, id: string): Promise<JsonObject> {
    const open = this.open.get(command);
    if (open?.at === 'running') open.aborter.abort();
    return { receipt: id, result: null };
  }

  private keep(id: string, message: JsonObject): void {
    this.open.delete(id);
    this.answers.set(id, message);
    const old = removeOldest(this.answers, KEPT_RECEIPTS);
    if (old) this.forgotten.add(old);
    removeOldest(this.forgotten, KEPT_IDS);
  }
}

/** Removes the oldest entry if there are more than `most`, and returns its id. */
function removeOldest(entries: Map<string, unknown> | Set<string>, most: number): string | undefined {
  if (entries.size <= most) return undefined;
  const [oldest] = entries.keys();
  entries.delete(oldest!);
  return oldest;
}

/** Returns true for the receipt of a command that did not end here, because the session was disposed or lost its log. */
function isLeft({ error }: JsonObject): boolean {
  if (error === undefined) return false;
  const { code, details } = errorOf(error);
  return code === 'disposed' || (code === 'storage' && details['reason'] === 'fenced');
}

function left(): AgentSessionError {
  return new AgentSessionError(
    'network',
    'The session left its log before the command ended. The next owner ends it.',
  );
}

/** The receipts of each session that has a log. */
const receiptsBySession = new WeakMap<AgentSession, Receipts>();

/** Sets the receipts of a session with a log. Every line over which commands of the session arrive uses these receipts. */
export function setReceipts(session: AgentSession, receipts: Receipts): void {
  receiptsBySession.set(session, receipts);
}

/** Returns the receipts of a session with a log; undefined for every other session, and before its log is being opened. */
export function receiptsOf(session: AgentSession): Receipts | undefined {
  return receiptsBySession.get(session);
}
