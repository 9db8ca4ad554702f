import type { JsonObject } from '../json/json.js';
import {
  forgottenAnswer,
  interruptedCommand,
  receiptOf,
  refusal,
  type CommandedSession,
  type ReceivedCommand,
} from './command-messages.js';

/** A command that waits for another one to begin. */
interface Held {
  /** The ids of the commands it was sent behind: one of them has to begin. */
  readonly after: Set<string>;
  begin(): void;
}

/** The number of receipts that are kept for commands that arrive again. */
const KEPT_RECEIPTS = 256;
/** The number of commands that are known to have ended. */
const KEPT_IDS = 10_000;

/**
 * Carries out the commands of other sessions, each once for its id: one that arrives again gets the same receipt. The last 256 receipts
 * are kept; one of the 10,000 commands before them is not carried out again, and rejects `interrupted`. A command that names the one before it begins behind that one, in whatever
 * order the two arrive. Where that one is refused on its way, the command arrives once more, and names the one before that.
 */
export class Receipts {
  /** By id of the command; null where only its end is known. */
  private readonly receipts = new Map<string, Promise<JsonObject> | null>();
  /** The commands that wait for the one before them, by their ids. */
  private readonly held = new Map<string, Held>();
  /** The ends of the turns of the commands that run. */
  private readonly aborters = new Map<string, AbortController>();
  /** The ids of the commands that have ended, the oldest first. */
  private readonly ended: string[] = [];

  /** @param host the name of this host in commands that are sent again; undefined where they name none */
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

  /** Whether this command has arrived before. */
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

  /** A command that is held begins where it arrives again, and names no other one that has not begun. */
  private orderAnew({ id, after }: ReceivedCommand): void {
    const held = this.held.get(id);
    if (after === undefined || this.hasBegun(after)) held?.begin();
    else held?.after.add(after);
  }

  private begin(command: ReceivedCommand): Promise<JsonObject> {
    const { id, host, of } = command;
    // An earlier host may have begun a command that was sent there.
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

  /** Ends the turn of a command, if it still runs. */
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
