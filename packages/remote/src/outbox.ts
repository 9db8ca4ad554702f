import { AgentSessionError, type JsonObject } from '@banister/session';
import type { LogChannel } from '@banister/session/log';
import { cancelledError, refusal, toSessionError } from '@banister/session/follow';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import { Inbox } from './inbox.js';
import type { Pause } from './pause.js';
import type { Transport } from './transport.js';

/** A command without its receipt. */
interface Sent {
  readonly message: JsonObject;
  /** The host that the command was first sent to; null if it was not sent. */
  host: string | undefined | null;
  isUnderWay: boolean;
}

export interface OutboxParts {
  readonly transport: Transport;
  readonly connection: Connection;
  readonly host: Host;
  readonly pause: Pause;
}

/**
 * Sends commands over a transport that may fail. Until its receipt arrives, a command is sent with the same id and names the command
 * before it: so the host begins each command once, in the order of the calls.
 */
export class Outbox implements LogChannel {
  private readonly open = new Map<string, Sent>();
  private readonly receipts = new Inbox();
  /** The answers whose operations have not been read yet. */
  private held: { readonly id: string; readonly receipt: JsonObject; readonly revision: number }[] = [];
  /** The last revision that was read; Infinity while nothing is read. */
  private reached = Infinity;
  /** Aborts when receipts are no longer needed. */
  private signal = new AbortController().signal;
  /** True until the session is first read, and between a failure and the next attempt. */
  private isWaiting = true;

  constructor(private readonly parts: OutboxParts) {}

  /** The receipts of commands that wait arrive whenever `messages` is read. */
  readonly listening = Promise.resolve();

  messages(signal: AbortSignal): AsyncIterable<JsonObject> {
    this.signal = signal;
    return this.receipts.messages(signal);
  }

  post(message: JsonObject): void {
    // Throws if the message is not JSON: it would fail at each attempt.
    const json = JSON.parse(JSON.stringify(message)) as JsonObject & { id: string };
    if (this.revokes(json)) return;
    const sent = { message: json, host: null, isUnderWay: false };
    this.open.set(json.id, sent);
    if (!this.isWaiting) void this.attempt(json.id, sent);
  }

  /** If the message cancels a command that was never sent, settles both. Returns false for every other message. */
  private revokes({ id, of }: JsonObject & { readonly id: string }): boolean {
    const target = this.open.get(of as string);
    if (target?.host !== null) return false;
    this.settle(of as string, refusal(of as string, cancelledError()));
    this.receipts.put({ receipt: id, result: null });
    return true;
  }

  /** Sends the waiting commands in the order of the calls. */
  sendAll(): void {
    this.isWaiting = false;
    for (const [id, sent] of this.open) if (!sent.isUnderWay) void this.attempt(id, sent);
  }

  /**
   * Delivers the answers whose operations have been read.
   *
   * @param revision the last revision that was read; Infinity if reading has ended
   */
  read(revision: number): void {
    this.reached = revision;
    // A long command has no answer yet, but an item that arrives after it was sent again shows that the connection works.
    if (!this.isWaiting && revision < Infinity) this.parts.connection.sent();
    const { held } = this;
    this.held = held.filter((answer) => answer.revision > revision);
    for (const answer of held) if (answer.revision <= revision) this.settle(answer.id, answer.receipt);
  }

  private async attempt(id: string, sent: Sent): Promise<void> {
    const { transport, connection, host, pause } = this.parts;
    sent.isUnderWay = true;
    const again = sent.host === null ? {} : { host: sent.host };
    if (sent.host === null) sent.host = host.name;
    try {
      const message = { ...sent.message, ...this.orderOf(id), ...again } as JsonObject;
      const receipt = await transport.command(message, this.signal);
      if (receipt['receipt'] !== id)
        throw new AgentSessionError('server', 'The answer to a command is not that of the session.');
      pause.reset();
      connection.sent();
      const { revision } = receipt;
      if (typeof revision === 'number' && revision > this.reached) this.held.push({ id, receipt, revision });
      else this.settle(id, receipt);
    } catch (error) {
      sent.isUnderWay = false;
      if (!this.signal.aborted && this.open.has(id)) await this.failed(id, error);
    }
  }

  /** Names the command that must begin before this command: the previous command without a receipt. */
  private orderOf(id: string): { readonly after?: string } {
    const ids = [...this.open.keys()];
    const after = ids[ids.indexOf(id) - 1];
    return after === undefined ? {} : { after };
  }

  private settle(id: string, receipt: JsonObject): void {
    if (this.open.delete(id) && !this.signal.aborted) this.receipts.put(receipt);
  }

  private async failed(id: string, error: unknown): Promise<void> {
    const { connection, pause } = this.parts;
    const reason = toSessionError(error, 'network', 'The session cannot be reached.');
    connection.notSent(reason);
    if (reason.retry === 'never' || reason.retry === 'after-action') return this.refuse(id, reason);
    if (this.isWaiting) return;
    this.isWaiting = true;
    await pause.wait(reason, this.signal);
    if (!this.signal.aborted) this.sendAll();
  }

  /** Refuses a command. The host may hold the next command until the refused command begins: send it again with an earlier `after`. */
  private refuse(id: string, reason: AgentSessionError): void {
    const ids = [...this.open.keys()];
    const next = ids[ids.indexOf(id) + 1] ?? '';
    this.settle(id, refusal(id, reason));
    const sent = this.open.get(next);
    if (sent?.isUnderWay) void this.attempt(next, sent);
  }
}
