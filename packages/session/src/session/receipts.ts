import type { JsonObject } from '../json/json.js';
import {
  forgottenAnswer,
  interruptedCommand,
  receiptOf,
  refusal,
  type CommandedSession,
  type ReceivedCommand,
} from './command-messages.js';

/** A command that waits until another command begins. */
interface Held {
  /** The ids of the commands after which it was sent. It begins when one of them has begun. */
  readonly after: Set<string>;
  begin(): void;
}

/** How many receipts are kept, for commands that arrive again. */
const KEPT_RECEIPTS = 256;
/** How many ids of ended commands are kept. */
const KEPT_IDS = 10_000;

/**
 * Carries out the commands of other sessions, each once for its id. A command that arrives again gets the same receipt. The last 256
 * receipts are kept; if one of the 10,000 commands before them arrives again, it is not carried out, and rejects `interrupted`. A command
 * that names another command in `after` begins after that command, in whatever order the two arrive. If that other command is refused in
 * transit, the sender sends the command again, with an earlier command in `after`.
 */
export class Receipts {
  /** The receipts by command id; null if only the end of the command is known. */
  private readonly receipts = new Map<string, Promise<JsonObject> | null>();
  /** The commands that wait for another command, by their ids. */
  private readonly held = new Map<string, Held>();
  /** For each running command, the controller that aborts its turn. */
  private readonly aborters = new Map<string, AbortController>();
  /** The ids of the ended commands, oldest first. */
  private readonly ended: string[] = [];

  /** @param host the name of this host in commands that are sent again; undefined if commands name no host */
  constructor(
    private readonly session: CommandedSession,
    private readonly host?: string,
  ) {}

  /** Resolves with the message for the sender when the command has ended. Never rejects. */
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
    void receipt.then(() => this.keepNewest(id));
    return receipt;
  }

  /** Returns true if this command has arrived before. */
  has({ id }: ReceivedCommand): boolean {
    return this.receipts.has(id);
  }

  private hasBegun(id: string): boolean {
    return this.receipts.has(id) && !this.held.has(id);
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
    // The command was first sent to an earlier host, which may have begun it.
    const isOfAnother = host !== undefined && host !== this.host;
    const receipt = isOfAnother
      ? Promise.resolve(refusal(id, interruptedCommand()))
      : of === undefined
        ? this.carryOut(command)
        : this.abort(of, id);
    for (const { after, begin } of this.held.values()) if (after.has(id)) begin();
    return receipt;
  }

  private carryOut(command: ReceivedCommand): Promise<JsonObject> {
    const { id } = command;
    const aborter = new AbortController();
    this.aborters.set(id, aborter);
    return receiptOf(this.session, command, aborter.signal).finally(() => this.aborters.delete(id));
  }

  /** If a command still runs, aborts its turn. */
  private async abort(command: string, id: string): Promise<JsonObject> {
    this.aborters.get(command)?.abort();
    return { receipt: id, result: null };
  }

  private keepNewest(id: string): void {
    this.ended.push(id);
    const old = this.ended.at(-1 - KEPT_RECEIPTS);
    if (old !== undefined) this.receipts.set(old, null);
    if (this.ended.length > KEPT_IDS) this.receipts.delete(this.ended.shift()!);
  }
}
