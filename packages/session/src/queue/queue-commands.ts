import type { AttachedInput } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { checked } from '@banister/provider/internal/errors/checked';
import { defined } from '@banister/provider/internal/json/defined';
import { any, only, type Read } from '@banister/provider/internal/json/shape';
import { attachedFile } from '@banister/provider/internal/messages/attachment';
import type { MessageSource } from '../conversation/turn-record.js';
import { isTerminal, type Operation, type SessionFact } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { QueueItem } from '../state/session-state.js';
import type {
  AgentSession,
  EnqueueOptions,
  QueueChange,
  SendOptions,
  SteerOptions,
  TurnResult,
} from '../session/agent-session.js';
import { readInput } from '../conversation/read-user-input.js';
import { withoutFiles, type ReadInput } from '../session/read-input.js';
import { deferred, type Deferred } from '../operations/deferred.js';
import { next, type Way } from '../session/lane.js';
import { messageEnd } from '../session/message-end.js';
import type { SessionCore } from '../session/session-core.js';
import type { SessionLane } from '../session/session-lane.js';
import type { TurnRunner } from '../session/turn-runner.js';
import { enqueueOptions, steeredChild, type EnqueueResult, type SteerResult } from './enqueue-options.js';
import type { Queued } from './queue-operations.js';
import { givenKey, isGiven } from './queue-notes.js';
import { sendOptions } from '../session/send-options.js';
import { turnOptions } from '../turn/turn-options.js';

/** The methods of a session for its queue. */
type QueueCommands = Pick<AgentSession, 'dequeue' | 'resumeQueue'>;

/** The parts of a session that its queue needs. */
interface QueueParts {
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly lane: SessionLane;
  readonly runner: TurnRunner;
}

// `requeue` checks the values.
const changeShape = only({ input: any, before: any } satisfies Record<keyof QueueChange, Read>);

/** The changes of `requeue`, with the new message as it was read. */
export interface ReadChange extends Omit<QueueChange, 'input'> {
  readonly input?: ReadInput | undefined;
}

/** A message that was not in the queue before. */
type NewItem = QueueItem & Pick<Queued, 'given'>;

/** The promise of a message in the queue, or of a later call with the id of a message. */
interface Receipt extends Deferred<unknown> {
  readonly steering: boolean;
}

/**
 * Carries out the commands of the queue, and starts the turns of its messages. The queue itself is a field of the state, and operations
 * change it. These operations also settle the promises of the messages, since the pipeline emits some of them.
 */
export class Queue implements QueueCommands {
  /** The promises of the messages, by the id of the item. */
  private readonly receipts = new Map<string, Receipt>();
  /** Ends the subscription to the operations; null while no message waits. */
  private stopWatching: (() => void) | null = null;
  /** Stops the timer of the next start; null while no start is scheduled. */
  private stopStart: (() => void) | null = null;

  constructor(private readonly parts: QueueParts) {}

  /** On an idle session with an empty queue, starts the turn of a message without an id at once. The queue notes the id of any other message. */
  async enqueue(way: Way, input: ReadInput, options: EnqueueOptions = {}): Promise<EnqueueResult> {
    const { id, from, ...given } = enqueueOptions(options);
    const { core } = this.parts;
    if (id === undefined && this.startsAtOnce(way)) return (await this.start(input, given, from)).status;
    if (id !== undefined && isGiven(core.current, id)) {
      core.arrivals.withdraw();
      return this.again(id);
    }
    const item = this.itemOf(input.own, given, id, from);
    this.attach(input);
    return this.add(item, null);
  }

  /**
   * On an idle session with an empty queue, starts the turn of the message at once. The queue takes no message for a child turn that has ended.
   */
  async steer(way: Way, input: ReadInput, options?: SteerOptions): Promise<SteerResult> {
    const child = steeredChild(options);
    const { core, runner } = this.parts;
    const { liveTurn, pendingReview, fold } = core.current;
    if (child !== undefined) {
      if (fold.turn?.children?.[child] === undefined) return 'cancelled';
    } else if (this.startsAtOnce(way)) {
      this.start(input).catch(() => {});
      return 'queued';
    }
    const provider = runner.running?.providerOf(child);
    // The model of the running turn reads the message, and it may differ from the model of the session.
    const item = this.itemOf(input.own, provider === undefined ? {} : { provider });
    this.attach(input);
    // A turn under review has no further round that could read the message.
    if (liveTurn !== null && pendingReview === null)
      return this.add(defined({ ...item, steering: true, child }), null);
    await this.put(item, core.current.queue[0]?.id ?? null);
    return 'queued';
  }

  async requeue(id: string, change: ReadChange): Promise<boolean> {
    checked(changeShape, change, 'The change of a message in the queue');
    const { queue } = this.parts.core.current;
    const index = queue.findIndex((item) => item.id === id);
    const item = queue[index];
    if (item === undefined) return false;
    const { before = id, input: read } = change;
    const next = before === id ? (queue[index + 1]?.id ?? null) : before;
    if (next !== null && !queue.some((other) => other.id === next)) return false;
    // A message that is only moved is not checked again, even if the model does not accept its files any more: its turn may use another
    // model.
    const newInput = read === undefined ? item.input : this.checkedInput(read.own, sendOptions(item.options));
    if (read !== undefined) this.attach(read);
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

  /** Rejects the promises of all waiting messages. The messages stay in the queue. */
  leave(error: AgentSessionError): void {
    for (const { reject } of this.receipts.values()) reject(error);
    this.receipts.clear();
    this.unwatch();
    this.stopStart?.();
    this.stopStart = null;
  }

  private startsAtOnce(way: Way): boolean {
    return way === 'begin' && this.parts.core.current.queue.length === 0;
  }

  private start(input: ReadInput, options?: SendOptions, from?: MessageSource): Promise<TurnResult> {
    const { runner } = this.parts;
    return runner.start(runner.prepare(input, options, undefined, from));
  }

  private has(id: string): boolean {
    return this.parts.core.current.queue.some((item) => item.id === id);
  }

  private itemOf(input: AttachedInput, options: SendOptions, given?: string, from?: MessageSource): NewItem {
    const id = given ?? this.parts.ports.ids.next('queued');
    const item = defined({
      id,
      given: given === undefined ? undefined : (true as const),
      from,
      input: this.checkedInput(input, options),
      steering: false,
      options: turnOptions(options),
    });
    if (this.has(id))
      throw new AgentSessionError('invalid-input', `There is a message with the id "${id}" in the queue.`);
    return item;
  }

  /** Returns a copy of an input. Throws the errors with which `send` rejects because of the input. */
  private checkedInput(input: AttachedInput, options: SendOptions): AttachedInput {
    this.parts.runner.settingsOf(readInput(input), options);
    if (typeof input === 'string') return input;
    const { text, images, files } = input;
    return defined({
      text,
      images: images?.map(({ mediaType, data }) => ({ mediaType, data })),
      files: files?.map(attachedFile),
    });
  }

  /** Adds the contents of a message's files to the session, before the message. */
  private attach({ attached }: ReadInput): void {
    for (const one of attached) this.emit(one);
  }

  /**
   * Puts a message into the queue. Resolves when the message has left the queue, with the status of its turn, or with the reason why it has
   * no turn.
   */
  private add<Result>(item: NewItem, before: string | null): Promise<Result> {
    const result = this.resultOf(item.id, item.steering) as Promise<Result>;
    this.put(item, before).catch(() => {});
    return result;
  }

  /** Returns the promise of a message. Calls with the same id share one. */
  private resultOf(id: string, steering: boolean): Promise<unknown> {
    let receipt = this.receipts.get(id);
    if (receipt === undefined) this.receipts.set(id, (receipt = { steering, ...deferred() }));
    return receipt.promise;
  }

  /** Settles as the first call with this id, which may be of an earlier session: when the state has the end of the message. */
  private async again(id: string): Promise<EnqueueResult> {
    const end = messageEnd(this.parts.core, id);
    if (end === null) {
      this.watch();
      return this.resultOf(id, false) as Promise<EnqueueResult>;
    }
    await this.written();
    return end;
  }

  /** Puts a message into the queue. If the journal refuses the message, removes it again. */
  private async put(item: NewItem, before: string | null): Promise<void> {
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

  /** Resolves when the journal has written all operations until now. */
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
    const fact = operation.type === 'subagent' ? operation.inner : operation;
    if (fact.type === 'steered') this.settle(fact.id, 'joined');
    else if (operation.type === 'dequeued' && operation.reason === 'removed')
      this.settle(operation.id, 'cancelled');
    else if (isTerminal(operation) || operation.type === 'turnPutDown') this.turnEnded(operation.turnId);
    else if (operation.turnId !== undefined) return;
    this.schedule();
    if (this.receipts.size === 0 && this.parts.core.current.queue.length === 0) this.unwatch();
  }

  /** Settles the promise of a message after the journal has written the operation that decides about the message. */
  private settle(id: string, result: EnqueueResult | SteerResult): void {
    this.take(id)?.resolve(this.written().then(() => result));
  }

  /** Settles the promises of the messages that did not join the ended turn, and of later calls with the id of the turn's message. */
  private turnEnded(turnId: string): void {
    const { queue, fold } = this.parts.core.current;
    for (const [id, { steering }] of [...this.receipts]) {
      const mayJoin = queue.some((item) => item.id === id && item.steering);
      if (steering && !mayJoin) this.settle(id, 'queued');
      else if (fold.given[givenKey(id)] === turnId) this.take(id)?.resolve(this.again(id));
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
   * Starts the next turn one macrotask after the promise of the running command has settled, so that the code that awaits the promise can
   * call a command first.
   */
  private schedule(): void {
    const { core, lane, runner, ports } = this.parts;
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
    lane.workEnded.then(() => runner.settled).then(wait, wait);
  }

  private startNext(): void {
    const { core, lane, runner } = this.parts;
    const { queue, queuePaused } = core.current;
    const [item] = queue;
    if (item === undefined || queuePaused) return;
    const way = next(lane.at, 'send');
    if (way === 'already-running') return this.schedule();
    // Either this session has given the log away or lost it, and the other session starts the messages; or interrupted work has to end
    // first; or the log takes no writes.
    if (way !== 'begin') {
      void core.journal?.outage?.ended.then(() => this.schedule());
      return;
    }
    const { id, input, options, from } = item;
    try {
      const turn = runner.prepare(withoutFiles(input), sendOptions(options), undefined, from);
      const dequeued = { type: 'dequeued', id, reason: 'started', target: turn.request.id } as const;
      const ended = runner.start({ ...turn, before: [dequeued] });
      ended.catch(() => {});
      this.take(id)?.resolve(ended.then(({ status }) => status));
    } catch (error) {
      this.refuse(id, error);
    }
  }
}
