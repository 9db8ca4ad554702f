import type { Input } from '../conversation/message.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import { defined } from '../json/defined.js';
import { any, only, type Read } from '../json/shape.js';
import { isTerminal, type Operation, type SessionFact } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { QueueItem } from '../state/session-state.js';
import type { AgentSession, EnqueueOptions, QueueChange, SendOptions, TurnResult } from './agent-session.js';
import { readInput, turnSettings } from './pre-flight.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { TurnRunner } from './turn-runner.js';
import { sendOptions, turnOptions } from './turn-options.js';

/** The methods of the session that are about its queue. */
type QueueCommands = Pick<AgentSession, 'enqueue' | 'requeue' | 'dequeue' | 'resumeQueue' | 'steer'>;

/** The parts of a session that its queue uses. */
export interface QueueParts {
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
}

// `itemOf` and `requeue` check the values.
const enqueueShape = only({ id: any, limits: any } satisfies Record<keyof EnqueueOptions, Read>);
const changeShape = only({ input: any, before: any } satisfies Record<keyof QueueChange, Read>);

type EnqueueResult = TurnResult['status'] | 'cancelled';
type SteerResult = 'joined' | 'queued' | 'cancelled';

/** The promise of a message in the queue. */
interface Receipt {
  readonly steering: boolean;
  settle(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * The commands of the queue, and the start of the turns of its messages. The queue itself is a field of the state: its operations change
 * it. The promises of its messages are settled by these operations, which the pipeline emits as well.
 */
export class Queue implements QueueCommands {
  /** By id of the item. */
  private readonly receipts = new Map<string, Receipt>();
  /** Ends the subscription to the operations; null while there is none, since nothing waits. */
  private stopWatching: (() => void) | null = null;
  /** Ends the wait for the next start; null while there is none. */
  private stopStart: (() => void) | null = null;

  constructor(private readonly parts: QueueParts) {}

  async enqueue(input: Input, options: EnqueueOptions = {}): Promise<EnqueueResult> {
    checked(enqueueShape, options, 'The options of a message for the queue');
    const { runner } = this.parts;
    const limits = { limits: options.limits };
    const item = this.itemOf(input, limits, options.id);
    if (this.isIdle) return runner.start(runner.prepare(item.input, limits)).then(({ status }) => status);
    return this.add(item, null);
  }

  async steer(input: Input): Promise<SteerResult> {
    const { core, runner } = this.parts;
    const item = this.itemOf(input, {});
    if (core.current.liveTurn !== null) return this.add({ ...item, steering: true }, null);
    if (this.isIdle) {
      runner.start(runner.prepare(item.input)).catch(() => {});
      return 'queued';
    }
    await this.put(item, core.current.queue[0]?.id ?? null);
    return 'queued';
  }

  async requeue(id: string, change: QueueChange): Promise<boolean> {
    checked(changeShape, change, 'The change of a message in the queue');
    const { queue } = this.parts.core.current;
    const index = queue.findIndex((item) => item.id === id);
    const item = queue[index];
    if (item === undefined) return false;
    const { input = item.input, before = id } = change;
    const next = before === id ? (queue[index + 1]?.id ?? null) : before;
    if (next !== null && !queue.some((other) => other.id === next)) return false;
    const newInput = this.checkedInput(input, sendOptions(item.options));
    this.emit({ type: 'queued', ...item, input: newInput, before: next });
    await this.written();
    return true;
  }

  async dequeue(id: string): Promise<boolean> {
    if (!this.has(id)) return false;
    this.emit({ type: 'dequeued', id, reason: 'removed' });
    await this.written();
    return true;
  }

  async resumeQueue(): Promise<void> {
    if (!this.parts.core.current.queuePaused) return;
    this.emit({ type: 'queueResumed' });
    await this.written();
  }

  /** Rejects the promises of all messages that wait; the messages stay in the queue. */
  leave(error: AgentSessionError): void {
    for (const { reject } of this.receipts.values()) reject(error);
    this.receipts.clear();
    this.unwatch();
    this.stopStart?.();
    this.stopStart = null;
  }

  /** Whether a message may start its turn without a wait in the queue. */
  private get isIdle(): boolean {
    const { lifetime, core } = this.parts;
    const { queue, interrupted } = core.current;
    return queue.length === 0 && interrupted === null && !lifetime.isBusy;
  }

  private has(id: string): boolean {
    return this.parts.core.current.queue.some((item) => item.id === id);
  }

  private itemOf(input: Input, options: SendOptions, id = this.parts.ports.ids.next('queued')): QueueItem {
    const item = defined({
      id,
      input: this.checkedInput(input, options),
      steering: false,
      options: turnOptions(options),
    });
    if (typeof id !== 'string' || id === '')
      throw new AgentSessionError('invalid-input', 'The id of a message in the queue must be a text.');
    if (this.has(id))
      throw new AgentSessionError('invalid-input', `There is a message with the id "${id}" in the queue.`);
    return item;
  }

  /** Returns a copy of an input. Throws the errors with which `send` rejects for it. */
  private checkedInput(input: Input, options: SendOptions): Input {
    turnSettings(this.parts.settings.current, readInput(input), options);
    if (typeof input === 'string') return input;
    const { text, images } = input;
    const copies = images?.map(({ mediaType, data }) => ({ mediaType, data }));
    return copies === undefined ? { text } : { text, images: copies };
  }

  /** Puts a message into the queue, and resolves with its end there: the status of its turn, or the reason for which it has none. */
  private add<Result>(item: QueueItem, before: string | null): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const settle = (result: unknown) => resolve(result as Result);
      this.receipts.set(item.id, { steering: item.steering, settle, reject });
      this.put(item, before).catch(() => {});
    });
  }

  /** Puts a message into the queue. One that the journal refuses does not stay there. */
  private async put(item: QueueItem, before: string | null): Promise<void> {
    this.emit({ type: 'queued', ...item, before });
    try {
      await this.written();
    } catch (error) {
      if (!this.has(item.id)) return;
      this.refuse(item.id, error);
      throw error;
    }
  }

  private emit(fact: SessionFact): void {
    this.watch();
    this.parts.core.emitSession(fact);
  }

  /** Resolves when the journal has the operations so far. */
  private async written(): Promise<void> {
    await this.parts.core.journal?.barrier();
  }

  private watch(): void {
    if (this.stopWatching !== null) return;
    const subscription = this.parts.core.stream.operations$.subscribe((operation) => this.follow(operation));
    this.stopWatching = () => subscription.unsubscribe();
  }

  private unwatch(): void {
    this.stopWatching?.();
    this.stopWatching = null;
  }

  private follow(operation: Operation): void {
    if (operation.type === 'steered') this.settle(operation.id, 'joined');
    else if (operation.type === 'dequeued' && operation.reason === 'removed')
      this.settle(operation.id, 'cancelled');
    else if (isTerminal(operation)) this.settleSteering();
    else if (operation.turnId !== undefined) return;
    this.schedule();
    if (this.receipts.size === 0 && this.parts.core.current.queue.length === 0) this.unwatch();
  }

  /** Settles the promise of a message when the journal has the reason. */
  private settle(id: string, result: EnqueueResult | SteerResult): void {
    this.take(id)?.settle(this.written().then(() => result));
  }

  /** Settles the promises of the messages that did not join the turn that has ended. */
  private settleSteering(): void {
    const { queue } = this.parts.core.current;
    for (const [id, { steering }] of this.receipts) {
      const mayJoin = queue.some((item) => item.id === id && item.steering);
      if (steering && !mayJoin) this.settle(id, 'queued');
    }
  }

  private refuse(id: string, error: unknown): void {
    this.take(id)?.reject(error);
    this.emit({ type: 'dequeued', id, reason: 'refused' });
  }

  private take(id: string): Receipt | undefined {
    const receipt = this.receipts.get(id);
    this.receipts.delete(id);
    return receipt;
  }

  /**
   * Starts the next turn one macrotask after the promise of the running command has settled, so that its continuation may give a
   * command first.
   */
  private schedule(): void {
    const { core, lifetime, runner, ports } = this.parts;
    const { queue, queuePaused } = core.current;
    if (this.stopStart !== null || queue.length === 0 || queuePaused) return;
    let isStopped = false;
    let stopTimer = () => {};
    this.stopStart = () => {
      isStopped = true;
      stopTimer();
    };
    const start = () => {
      this.stopStart = null;
      this.startNext();
    };
    const wait = () => {
      if (!isStopped) stopTimer = ports.clock.schedule(start, 0);
    };
    lifetime.ended.then(() => runner.settled).then(wait, wait);
  }

  private startNext(): void {
    const { core, lifetime, runner } = this.parts;
    const { queue, queuePaused, interrupted } = core.current;
    const [item] = queue;
    // Another session starts the messages of a log that this one gave away or lost.
    if (core.journal?.isFenced) return;
    if (item === undefined || queuePaused || interrupted !== null) return;
    if (lifetime.isBusy) return this.schedule();
    const { id, input, options } = item;
    try {
      const turn = runner.prepare(input, sendOptions(options));
      const dequeued = { type: 'dequeued', id, reason: 'started', target: turn.request.id } as const;
      const ended = runner.start({ ...turn, before: [dequeued] });
      ended.catch(() => {});
      this.take(id)?.settle(ended.then(({ status }) => status));
    } catch (error) {
      this.refuse(id, error);
    }
  }
}
