import type { JsonObject, JsonValue } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import type { Operation } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';
import type { Arrived } from './arrivals.js';
import { commandMessage, errorOf, interruptedCommand, signalOf } from './command-messages.js';
import { traitsOf, type CommandName } from './command-table.js';
import type { Line } from './line.js';
import type { SessionCore } from './session-core.js';
import type { LogChannel } from '../log/session-log.js';
import { WriterWatch, type WriterWatchOptions } from '../log/writer-watch.js';

/** A command that has no receipt yet. */
interface Pending {
  readonly message: JsonObject;
  settle(result: JsonValue): void;
  reject(error: AgentSessionError): void;
  /** Carries out the command in this session. */
  run(): void;
  /** Stops showing a turn that starts; null if none is shown for the command. */
  hide: (() => void) | null;
}

interface FollowerOptions {
  readonly channel: LogChannel;
  readonly core: SessionCore;
  /** The owner name with which this session can claim the log; null if it cannot become the writer. */
  readonly owner: string | null;
  /** Returns a new command id. */
  nextId(): string;
  /** Returns the epoch of the last known owner. Default: unknown. */
  epoch?(): number;
  /**
   * Carries out a command that was sent, when this session has become the writer: an earlier writer may have begun it. Default: this
   * session does not become the writer.
   *
   * @param aborted fires to abort the turn of the command
   */
  carryOut?<R>(command: Arrived, run: () => Promise<R>, aborted?: AbortSignal): Promise<R>;
  /** Called when the writer has released the log; with an epoch if the writer gives the lease of this epoch to this session. */
  released(epoch?: number): void;
  /** Watches the writer while a command waits. Default: a command waits without a time limit. */
  readonly watch?: Omit<WriterWatchOptions, 'ping'>;
}

/**
 * The commands of a session while another session owns the log. They are sent to the owner in the order of the calls, and its receipts
 * settle them.
 */
export class Follower implements Line {
  private readonly pending = new Map<string, Pending>();
  private readonly aborter = new AbortController();
  private readonly watch: WriterWatch | null;
  /** The epoch of the last writer that has named its epoch. */
  private epoch = 0;

  constructor(private readonly options: FollowerOptions) {
    const { channel, watch } = options;
    this.watch = watch
      ? new WriterWatch({ ...watch, ping: () => channel.post({ ping: true, ids: [...this.pending.keys()] }) })
      : null;
    this.listen().catch((error: unknown) => options.core.reportError(error));
  }

  /** Whether a command waits for its receipt. */
  get hasCommands(): boolean {
    return this.pending.size > 0;
  }

  pass<R>(
    name: CommandName,
    args: readonly unknown[],
    run: () => Promise<R> = none,
    arrived: Arrived | null = null,
  ): Promise<R> {
    if (this.signal.aborted) return Promise.reject(this.signal.reason as AgentSessionError);
    if (name === 'turn$' || name === 'configure') return Promise.reject(elsewhere(name));
    const { core, nextId, owner } = this.options;
    if (args.some(hasProvider)) return Promise.reject(elsewhere('a provider of its own'));
    const signal = signalOf(name, args);
    if (signal?.aborted) return Promise.reject(cancelledError());
    // A command of another session keeps its id, by which every owner of the log knows it.
    const command = arrived ?? { id: nextId(), name, client: owner ?? undefined };
    const { id } = command;
    const sent = this.send(command, args, run);
    const pending = this.pending.get(id);
    if (traitsOf(name).starts && pending !== undefined && !core.current.isRunning)
      pending.hide = core.showStart();
    return this.abortable(id, sent, signal);
  }

  private abortable<R>(id: string, sent: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
    if (signal === undefined) return sent;
    const abort = () => {
      // After a hand-over the command is carried out here, and listens to the signal itself.
      if (!this.pending.has(id)) return;
      const command = { id: this.options.nextId(), name: 'cancel' } as const;
      const cancel = this.send(command, [{ immediate: true }], none, id);
      cancel.catch(() => {});
    };
    signal.addEventListener('abort', abort, { once: true });
    return sent.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Stops showing a turn that starts, or a compaction, when its first operation is about to be folded. */
  beforeFold(operations: readonly Operation[]): void {
    const isFirst = ({ type }: Operation) => type === 'turnStarted' || type === 'contextCompacted';
    if (operations.some(isFirst)) this.hide(this.pending.values());
  }

  /** Stops showing a turn that starts, if the state that replaces the current one has another head: the turn has begun, or has ended. */
  beforeReplace({ headTurnId }: SessionState): void {
    if (headTurnId !== this.options.core.current.headTurnId) this.hide(this.pending.values());
  }

  /**
   * Called when this session has become the writer. Carries out the commands that no writer has begun. The others settle as their end in the
   * log.
   */
  takeOver(): void {
    const { core } = this.options;
    this.aborter.abort();
    const open = this.takeAll();
    // `publish` follows below, so that a turn which is shown as starting does not disappear for a moment.
    this.hide(open);
    for (const command of open) command.run();
    core.publish();
  }

  /** Fires when this session stops following. The reason is the error with which its commands reject from then on. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  abort(error = disposedError()): void {
    this.aborter.abort(error);
    const open = this.takeAll();
    if (this.hide(open)) this.options.core.publish();
    for (const command of open) command.reject(error);
  }

  private takeAll(): readonly Pending[] {
    const all = [...this.pending.values()];
    this.pending.clear();
    this.watch?.stop();
    return all;
  }

  /** Stops showing the turns of these commands. Returns whether one was shown. */
  private hide(commands: Iterable<Pending>): boolean {
    let isShown = false;
    for (const command of commands) {
      isShown ||= command.hide !== null;
      command.hide?.();
      command.hide = null;
    }
    return isShown;
  }

  /** @param of the id of the command whose turn is cancelled */
  private send<R>(
    command: Arrived,
    args: readonly unknown[],
    run: () => Promise<R>,
    of?: string,
  ): Promise<R> {
    const { owner, channel, carryOut = (_command, call) => call() } = this.options;
    const { id, name, client, by } = command;
    const message: JsonObject = {
      ...commandMessage(id, name, args, owner),
      ...defined({ of, client: client === owner ? undefined : client, by }),
    };
    return new Promise<R>((resolve, reject) => {
      try {
        this.post(message);
      } catch (error) {
        throw toSessionError(error, 'storage', 'The command could not be sent.');
      }
      // Before this end listens, the command waits. If the messages cannot arrive, `listen` reports the reason.
      channel.listening.then(
        () => {
          if (this.pending.has(id)) this.watch?.start();
        },
        () => {},
      );
      this.pending.set(id, {
        message,
        settle: (result) => resolve(result as R),
        reject,
        run: () => resolve(carryOut(command, run, signalOf(name, args))),
        hide: null,
      });
    });
  }

  private async listen(): Promise<void> {
    const { signal } = this.aborter;
    for await (const message of this.options.channel.messages(signal)) {
      // The message arrived before this session became the writer.
      if (signal.aborted) return;
      if (!('command' in message || 'ping' in message)) this.watch?.heard();
      if (typeof message['epoch'] === 'number') this.epoch = Math.max(this.epoch, message['epoch']);
      if ('writer' in message) for (const { message: command } of this.pending.values()) this.post(command);
      else if ('missing' in message) this.sendAgain(message['missing'] as string);
      else if ('left' in message) this.left(message);
      else this.receive(message);
    }
  }

  private left({ to, epoch }: JsonObject): void {
    const { released } = this.options;
    if (to === undefined) released();
    else if (this.pending.has(to as string)) released(epoch as number);
  }

  /** Sends a command that did not arrive. */
  private sendAgain(id: string): void {
    const command = this.pending.get(id);
    if (command !== undefined) this.post(command.message);
  }

  private post(command: JsonObject): void {
    const { channel, epoch } = this.options;
    channel.post(epoch === undefined ? command : { ...command, epoch: Math.max(epoch(), this.epoch) });
  }

  private receive(message: JsonObject): void {
    const id = message['receipt'] as string;
    const command = this.pending.get(id);
    if (command === undefined) return;
    this.pending.delete(id);
    if (this.pending.size === 0) this.watch?.stop();
    if (this.hide([command])) this.options.core.publish();
    if ('error' in message) {
      const error = errorOf(message['error']!);
      // The session that carried out the command was disposed. That session has no log, so no other session ends the command.
      command.reject(error.code === 'disposed' ? interruptedCommand() : error);
    } else command.settle(message['result'] ?? null);
  }
}

const none = () => Promise.reject<never>(elsewhere('the command'));

function hasProvider(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'provider' in options;
}

function elsewhere(name: string): AgentSessionError {
  return new AgentSessionError('unsupported', `This session is open elsewhere; ${name} works only there.`);
}
