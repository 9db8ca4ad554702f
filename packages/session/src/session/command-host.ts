import type { JsonObject } from '../json/json.js';
import type { AgentSession } from './agent-session.js';
import { readCommand, receiptOf, type ReceivedCommand } from './command-messages.js';
import type { LogChannel } from './session-log.js';

/** The number of receipts that are kept for commands that arrive again. */
const KEPT_RECEIPTS = 100;

export interface CommandHostOptions {
  readonly channel: LogChannel;
  /** Carries the commands out. */
  readonly session: AgentSession;
  reportError(error: unknown): void;
  /** Stops the host, and returns true, where the sender of a command shall become the writer, and carry it out. Default: never. */
  handOver?(command: ReceivedCommand): boolean;
  /** Is called when another session has become the writer. */
  replaced?(): void;
}

/** Carries out the commands of followers, in the order in which they arrive. */
export class CommandHost {
  private readonly aborter = new AbortController();
  private readonly receipts = new Map<string, Promise<JsonObject>>();

  constructor(private readonly options: CommandHostOptions) {
    this.listen().catch((error: unknown) => options.reportError(error));
    this.post({ writer: true });
  }

  /** Stops listening. The receipts of commands that run are sent. */
  stop(): void {
    this.aborter.abort();
  }

  private async listen(): Promise<void> {
    const { signal } = this.aborter;
    for await (const message of this.options.channel.messages(signal)) {
      // A message that arrived before the host stopped.
      if (signal.aborted) return;
      const command = readCommand(message);
      if (command !== undefined) this.receive(command);
      else if ('ping' in message) this.post({ pong: true });
      else if ('writer' in message) this.options.replaced?.();
    }
  }

  private receive(command: ReceivedCommand): void {
    const { session, handOver } = this.options;
    let receipt = this.receipts.get(command.id);
    if (receipt === undefined && handOver?.(command)) return;
    this.post({ began: command.id });
    if (receipt === undefined) {
      receipt = receiptOf(session, command);
      this.receipts.set(command.id, receipt);
      const [oldest] = this.receipts.keys();
      if (this.receipts.size > KEPT_RECEIPTS) this.receipts.delete(oldest!);
    }
    void receipt.then((message) => this.post(message));
  }

  private post(message: JsonObject): void {
    try {
      this.options.channel.post(message);
    } catch (error) {
      this.options.reportError(error);
    }
  }
}
