import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { EnqueueOptions, SendOptions, TurnResult } from './agent-session.js';
import { enqueueOptions, type EnqueueResult, type SteerResult } from './enqueue-options.js';
import type { Queue, QueueParts } from './queue.js';
import { queueCode } from './queue-code.js';
import type { ReadInput } from './read-input.js';
import { turnCode } from './turn-code.js';

/** The commands of the queue, whose code is loaded late. They may be given while another command runs. */
export class LateQueue {
  private queue: Queue | null = null;

  constructor(private readonly parts: QueueParts) {}

  /** An idle session with an empty queue starts the turn of the message, which needs no code of the queue. */
  async enqueue(input: ReadInput, options: EnqueueOptions = {}): Promise<EnqueueResult> {
    if (!this.isIdle) return this.run((queue) => queue.enqueue(input, options));
    const { id: _id, ...given } = enqueueOptions(options);
    return (await this.start(input, given)).status;
  }

  /** An idle session with an empty queue starts the turn of the message. */
  async steer(input: ReadInput): Promise<SteerResult> {
    if (!this.isIdle) return this.run((queue) => queue.steer(input));
    this.start(input).catch(() => {});
    return 'queued';
  }

  private get isIdle(): boolean {
    const { lifetime, core } = this.parts;
    const { queue, interrupted } = core.current;
    return queue.length === 0 && interrupted === null && !lifetime.isBusy;
  }

  private start(input: ReadInput, options?: SendOptions): Promise<TurnResult> {
    const { runner } = this.parts;
    return runner.start(runner.prepare(input, options));
  }

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
