import type { JsonObject } from '../json/json.js';
import type { AgentSession } from './agent-session.js';
import { readCommand } from './command-messages.js';
import { Receipts } from './receipts.js';
import type { LogChannel } from './session-log.js';

/** Carries out the commands of followers, in the order in which they arrive. */
export class CommandHost {
  private readonly aborter = new AbortController();
  private readonly receipts: Receipts;

  constructor(
    private readonly channel: LogChannel,
    session: AgentSession,
    private readonly reportError: (error: unknown) => void,
  ) {
    this.receipts = new Receipts(session);
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
      void this.receipts.receiptOf(command).then((message) => this.post(message));
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
