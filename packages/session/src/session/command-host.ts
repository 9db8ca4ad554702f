import type { JsonObject } from '../json/json.js';
import type { AgentSession } from './agent-session.js';
import { readCommand, receiptOf } from './command-messages.js';
import type { LogChannel } from './session-log.js';

/** The number of receipts that are kept for commands that arrive again. */
const KEPT_RECEIPTS = 100;

/** Carries out the commands of followers, in the order in which they arrive. */
export class CommandHost {
  private readonly aborter = new AbortController();
  private readonly receipts = new Map<string, Promise<JsonObject>>();

  constructor(
    private readonly channel: LogChannel,
    private readonly session: AgentSession,
    private readonly reportError: (error: unknown) => void,
  ) {
    this.listen().catch(reportError);
    this.post({ writer: true });
  }

  /** Stops listening. The receipts of commands that run are sent. */
  stop(): void {
    this.aborter.abort();
  }

  private async listen(): Promise<void> {
    for await (const message of this.channel.messages(this.aborter.signal)) {
      const command = readCommand(message);
      if (command === undefined) continue;
      this.post({ began: command.id });
      let receipt = this.receipts.get(command.id);
      if (receipt === undefined) {
        receipt = receiptOf(this.session, command);
        this.receipts.set(command.id, receipt);
        const [oldest] = this.receipts.keys();
        if (this.receipts.size > KEPT_RECEIPTS) this.receipts.delete(oldest!);
      }
      void receipt.then((message) => this.post(message));
    }
  }

  private post(message: JsonObject): void {
    try {
      this.channel.post(message);
    } catch (error) {
      this.reportError(error);
    }
  }
}
