import type { JsonObject, JsonValue } from '@banister/provider';
import { readCommand, type ReceivedCommand } from './command-messages.js';
import type { Receipts } from './receipts.js';
import type { LogChannel } from '../log/session-log.js';

interface CommandHostOptions {
  readonly channel: LogChannel;
  /** The epoch of this owner of the log. */
  readonly epoch: number;
  /** Carries the commands out. */
  readonly receipts: Receipts;
  reportError(error: unknown): void;
  /** Returns true, and stops the host, if the sender of a command shall become the writer and carry out the command. Default: never. */
  handOver?(command: ReceivedCommand): boolean;
  /** Called when another session has become the writer. */
  replaced?(): void;
  /** Returns undefined if the session certainly owns the log, see `TurnJournal.owned`. Default: it always owns the log. */
  owned?(): void | Promise<void>;
}

/** Carries out the commands of followers in the order of arrival. */
export class CommandHost {
  private readonly aborter = new AbortController();

  constructor(private readonly options: CommandHostOptions) {
    this.listen().catch((error: unknown) => options.reportError(error));
    this.post({ writer: true, epoch: options.epoch });
  }

  /** Stops listening. The receipts of running commands are still sent. */
  stop(): void {
    this.aborter.abort();
  }

  private async listen(): Promise<void> {
    const { signal } = this.aborter;
    for await (const message of this.options.channel.messages(signal)) {
      // After a sleep of this page, another session may own the log, and carry out the command.
      const owned = this.options.owned?.();
      if (owned) await owned.catch(() => {});
      // The host was stopped after the message arrived.
      if (signal.aborted) return;
      const command = readCommand(message);
      if (command !== undefined) this.receive(command);
      else if ('ping' in message) this.answer(message['ids']);
      else if ('writer' in message) this.options.replaced?.();
    }
  }

  private receive(command: ReceivedCommand): void {
    const { receipts, handOver, epoch } = this.options;
    if (!receipts.has(command)) {
      if (command.epoch !== undefined && command.epoch < epoch) return this.missing(command.id);
      if (handOver?.(command)) return;
    }
    this.post({ began: command.id });
    // If this session leaves its log first, the next owner sends the receipt.
    receipts.receiptOf(command).then(
      (message) => this.post(message),
      () => {},
    );
  }

  /** Answers a follower that asks for the receipts of its commands. */
  private answer(ids: JsonValue | undefined): void {
    this.post({ pong: true });
    for (const id of Array.isArray(ids) ? ids : []) {
      if (typeof id !== 'string') continue;
      const answer = this.options.receipts.answerTo(id);
      if (answer) this.post(answer);
      else if (answer === undefined) this.missing(id);
    }
  }

  private missing(id: string): void {
    this.post({ missing: id, epoch: this.options.epoch });
  }

  private post(message: JsonObject): void {
    try {
      this.options.channel.post(message);
    } catch (error) {
      this.options.reportError(error);
    }
  }
}
