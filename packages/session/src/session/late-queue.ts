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
    const queue = this.queue ?? this.load();
    return queue instanceof Promise ? queue.then(run) : run(queue);
  }

  /** Ends the wait of all commands, since this session carries none out any more. */
  leave(error: AgentSessionError): void {
    this.queue?.leave(error);
  }

  /** Returns the queue itself where all of its code is there: an idle session runs when `enqueue` returns. */
  private load(): Queue | Promise<Queue> {
    const { core, ports, lifetime } = this.parts;
    lifetime.assertAlive();
    const code = queueCode.get(ports.clock);
    const turns = turnCode.get(ports.clock);
    const writer = core.journal?.load();
    if (code instanceof Promise || turns instanceof Promise || writer)
      return Promise.all([code, turns, writer]).then(() => this.load());
    core.addHandlers(turns.lazyHandlers);
    return (this.queue ??= new code.Queue(this.parts));
  }
}
