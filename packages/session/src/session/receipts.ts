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

/** A command that waits until another command begins. */
interface Held {
  /** The ids of the commands after which this command was sent. This command begins when one of those commands has begun. */
  readonly after: Set<string>;
  begin(): void;
}

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
/** How many ids of ended commands are kept. */
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
  /** The receipts by command id; null if only the end of the command is known. */
  private readonly receipts = new Map<string, Promise<JsonObject> | null>();
  /** The kept receipts of ended commands. */
  private readonly answers = new Map<string, JsonObject>();
  /** The commands that wait for another command, by their ids. */
  private readonly held = new Map<string, Held>();
  /** For each running command, the controller that aborts its turn. */
  private readonly aborters = new Map<string, AbortController>();
  /** The ids of the ended commands, oldest first. */
  private readonly ended: string[] = [];

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
    const known = this.receipts.get(id);
    if (known === null) return Promise.resolve(refusal(id, forgottenAnswer()));
    if (known !== undefined) {
      this.orderAnew(command);
      return known;
    }
    const receipt =
      after === undefined || this.hasBegun(after) ? this.begin(command) : this.hold(command, after);
    this.receipts.set(id, receipt);
    receipt.then(
      (message) => this.keepNewest(id, message),
      () => this.receipts.delete(id),
    );
    return receipt;
  }

  /** Returns true if this command has arrived before, or an earlier owner of the log has begun it. */
  has({ id }: Pick<ReceivedCommand, 'id'>): boolean {
    return this.receipts.has(id) || this.log?.has(id) === true;
  }

  /** Returns the receipt of an ended command; null while it runs; undefined if it did not arrive here. */
  answerTo(id: string): JsonObject | null | undefined {
    const known = this.receipts.get(id);
    if (known === null) return refusal(id, forgottenAnswer());
    return this.answers.get(id) ?? (known && null);
  }

  private hasBegun(id: string): boolean {
    return this.has({ id }) && !this.held.has(id);
  }

  private async hold(command: ReceivedCommand, after: string): Promise<JsonObject> {
    const { id } = command;
    await new Promise<void>((begin) => this.held.set(id, { after: new Set([after]), begin }));
    this.held.delete(id);
    return this.begin(command);
  }

  /** Handles a waiting command that arrives again. It begins if it now names no other command, or one that has begun. */
  private orderAnew({ id, after }: ReceivedCommand): void {
    const held = this.held.get(id);
    if (after === undefined || this.hasBegun(after)) held?.begin();
    else held?.after.add(after);
  }

  private begin(command: ReceivedCommand): Promise<JsonObject> {
    const { id, host, of } = command;
    // The command was first sent to an earlier host, which may have begun it. With a log, the log decides.
    const isOfAnother = this.log === undefined && host !== undefined && host !== this.host;
    const receipt = isOfAnother
      ? Promise.resolve(refusal(id, interruptedCommand()))
      : of === undefined
        ? this.carryOut(command)
        : this.abort(of, id);
    for (const { after, begin } of this.held.values()) if (after.has(id)) begin();
    return receipt;
  }

  private async carryOut(command: ReceivedCommand): Promise<JsonObject> {
    const { id } = command;
    const aborter = new AbortController();
    this.aborters.set(id, aborter);
    try {
      const message = await receiptOf(this.session, command, aborter.signal, this.log);
      if (this.log !== undefined && isLeft(message)) throw left();
      return message;
    } finally {
      this.aborters.delete(id);
    }
  }

  /** If a command still runs, aborts its turn. */
  private async abort(command: string, id: string): Promise<JsonObject> {
    this.aborters.get(command)?.abort();
    return { receipt: id, result: null };
  }

  private keepNewest(id: string, message: JsonObject): void {
    this.ended.push(id);
    this.answers.set(id, message);
    const old = this.ended.at(-1 - KEPT_RECEIPTS);
    if (old !== undefined) {
      this.receipts.set(old, null);
      this.answers.delete(old);
    }
    if (this.ended.length > KEPT_IDS) this.receipts.delete(this.ended.shift()!);
  }
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
