import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { Queue, QueueParts } from './queue.js';
import { queueCode } from './queue-code.js';
import { turnCode } from './turn-code.js';

/** The commands of the queue, whose code is loaded late. They may be given while another command runs. */
export class LateQueue {
  private queue: Queue | null = null;

  constructor(private readonly parts: QueueParts) {}

  /** Carries out a command, at once when the code is there. */
  run<R>(command: (queue: Queue) => Promise<R>): Promise<R> {
    const run = (queue: Queue) => {
      this.parts.lifetime.assertAlive();
      return command(queue);
    };
    return this.queue === null ? this.load().then(run) : run(this.queue);
  }

  /** Ends the wait of all commands, since this session carries none out any more. */
  leave(error: AgentSessionError): void {
    this.queue?.leave(error);
  }

  private async load(): Promise<Queue> {
    const { core, ports, lifetime } = this.parts;
    lifetime.assertAlive();
    const [{ Queue }, { lazyHandlers }] = await Promise.all([
      queueCode.get(ports.clock),
      turnCode.get(ports.clock),
      core.journal?.load(),
    ]);
    core.addHandlers(lazyHandlers);
    return (this.queue ??= new Queue(this.parts));
  }
}
