import { AgentSessionError } from '../errors/agent-session-error.js';
import { disposedError } from '../errors/disposed-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Operation } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';
import { cancelledError } from '../errors/cancelled-error.js';
import { commandMessage, errorOf, interruptedCommand, signalOf } from './command-messages.js';
import { traitsOf, type CommandName, type SentCommand } from './command-table.js';
import type { Detour } from './detour.js';
import type { SessionCore } from './session-core.js';
import type { LogChannel } from './session-log.js';
import { WriterWatch, type WriterWatchOptions } from './writer-watch.js';

/** A command that has no receipt yet. */
interface Pending {
  readonly message: JsonObject;
  /** Whether the writer has begun to carry out the command. */
  hasBegun: boolean;
  settle(result: JsonValue): void;
  reject(error: AgentSessionError): void;
  /** Carries out the command in this session. */
  run(): void;
}

interface FollowerOptions {
  readonly channel: LogChannel;
  readonly core: SessionCore;
  /** The owner name with which this session can claim the log; null if it cannot become the writer. */
  readonly owner: string | null;
  /** Returns a new command id. */
  nextId(): string;
  /** Called when the writer has released the log; with an epoch if the writer gives the lease of this epoch to this session. */
  released(epoch?: number): void;
  /** Watches the writer while a command waits. Default: a command waits without a time limit. */
  readonly watch?: Omit<WriterWatchOptions, 'ping'>;
}

/**
 * The commands of a session while another session owns the log. They are sent to the owner in the order of the calls, and its receipts
 * settle them.
 */
export class Follower implements Detour {
  private readonly pending = new Map<string, Pending>();
  private readonly aborter = new AbortController();
  /** The id of the command whose turn is shown as starting. */
  private starting: string | null = null;
  private readonly watch: WriterWatch | null;
  /** The error with which every command rejects; null while commands are sent. */
  private endedBy: AgentSessionError | null = null;

  constructor(private readonly options: FollowerOptions) {
    const { channel, watch } = options;
    this.watch = watch ? new WriterWatch({ ...watch, ping: () => channel.post({ ping: true }) }) : null;
    this.listen().catch((error: unknown) => options.core.reportError(error));
  }

  /** Whether a command waits for its receipt. */
  get hasCommands(): boolean {
    return this.pending.size > 0;
  }

  pass<R>(name: CommandName, args: readonly unknown[], run: () => Promise<R>): Promise<R> {
    if (name === 'turn$' || name === 'configure') return Promise.reject(elsewhere(name));
    const { core, nextId } = this.options;
    if (args.some(hasProvider)) return Promise.reject(elsewhere('a provider of its own'));
    const signal = signalOf(name, args);
    if (signal?.aborted) return Promise.reject(cancelledError());
    const id = nextId();
    const sent = this.send(id, name, args, run);
    if (traitsOf(name).starts && this.pending.has(id) && !core.shownState.isRunning) {
      this.starting = id;
      core.showStarting(true);
      core.publish();
    }
    return this.abortable(id, sent, signal);
  }

  private abortable<R>(id: string, sent: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
    if (signal === undefined) return sent;
    const abort = () => {
      // After a hand-over the turn runs here, and listens to the signal itself.
      if (!this.pending.has(id)) return;
      const cancel = this.send(this.options.nextId(), 'cancel', [{ immediate: true }], none, id);
      cancel.catch(() => {});
    };
    signal.addEventListener('abort', abort, { once: true });
    return sent.finally(() => signal.removeEventListener('abort', abort));
  }

  /** Stops showing a turn that starts, or a compaction, when its first operation is about to be folded. */
  beforeFold(operations: readonly Operation[]): void {
    const isFirst = ({ type }: Operation) => type === 'turnStarted' || type === 'contextCompacted';
    if (this.starting === null || !operations.some(isFirst)) return;
    this.starting = null;
    this.options.core.showStarting(false);
  }

  /** Stops showing a turn that starts, if the state that replaces the current one has another head: the turn has begun, or has ended. */
  beforeReplace({ headTurnId }: SessionState): void {
    if (this.starting === null || headTurnId === this.options.core.current.headTurnId) return;
    this.starting = null;
    this.options.core.showStarting(false);
  }

  /**
   * Called when this session has become the writer. Carries out the commands that no writer has begun, and rejects the others, which ended
   * with the last writer.
   */
  takeOver(): void {
    const { core } = this.options;
    this.aborter.abort();
    const open = this.takeAll();
    // `publish` follows below, so that a turn which is shown as starting does not disappear for a moment.
    if (this.starting !== null) core.showStarting(false);
    this.starting = null;
    for (const command of open) {
      if (command.hasBegun) command.reject(interruptedCommand());
      else command.run();
    }
    core.publish();
  }

  /** Fires when this session stops following. The reason is the error with which its commands reject. */
  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  abort(error = disposedError()): void {
    this.endedBy = error;
    this.aborter.abort(error);
    this.endStarting();
    for (const command of this.takeAll()) command.reject(error);
  }

  private takeAll(): readonly Pending[] {
    const all = [...this.pending.values()];
    this.pending.clear();
    this.watch?.stop();
    return all;
  }

  private take(id: string): void {
    this.pending.delete(id);
    if (this.pending.size === 0) this.watch?.stop();
    if (this.starting === id) this.endStarting();
  }

  private endStarting(): void {
    if (this.starting === null) return;
    this.starting = null;
    this.options.core.showStarting(false);
    this.options.core.publish();
  }

  /** @param of the id of the command whose turn is cancelled */
  private send<R>(
    id: string,
    name: SentCommand,
    args: readonly unknown[],
    run: () => Promise<R>,
    of?: string,
  ): Promise<R> {
    const { channel, owner } = this.options;
    if (this.endedBy !== null) return Promise.reject(this.endedBy);
    const message = { ...commandMessage(id, name, args, owner), ...(of === undefined ? {} : { of }) };
    return new Promise<R>((resolve, reject) => {
      try {
        channel.post(message);
      } catch (error) {
        throw toSessionError(error, 'storage', 'The command could not be sent.');
      }
      this.watch?.start();
      this.pending.set(id, {
        message,
        hasBegun: false,
        settle: (result) => resolve(result as R),
        reject,
        run: () => resolve(run()),
      });
    });
  }

  private async listen(): Promise<void> {
    const { signal } = this.aborter;
    for await (const message of this.options.channel.messages(signal)) {
      // The message arrived before this session became the writer.
      if (signal.aborted) return;
      if (!('command' in message || 'ping' in message)) this.watch?.heard();
      if ('writer' in message) this.sendAgain();
      else if ('left' in message) this.left(message);
      else this.receive(message);
    }
  }

  private left({ to, epoch }: JsonObject): void {
    const { released } = this.options;
    if (to === undefined) released();
    else if (this.pending.has(to as string)) released(epoch as number);
  }

  /** Sends the commands that the last writer has not begun to a new writer. */
  private sendAgain(): void {
    for (const [id, { hasBegun, message, reject }] of this.pending) {
      if (!hasBegun) this.options.channel.post(message);
      else {
        this.take(id);
        reject(interruptedCommand());
      }
    }
  }

  private receive(message: JsonObject): void {
    const id = (message['began'] ?? message['receipt']) as string;
    const command = this.pending.get(id);
    if (command === undefined) return;
    command.hasBegun = true;
    if (!('receipt' in message)) return;
    this.take(id);
    if ('error' in message) {
      const error = errorOf(message['error']!);
      // The session that carried out the command was disposed, but this session was not.
      command.reject(error.code === 'disposed' ? interruptedCommand() : error);
    } else command.settle(message['result'] ?? null);
  }
}

const none = () => Promise.resolve();

function hasProvider(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'provider' in options;
}

function elsewhere(name: string): AgentSessionError {
  return new AgentSessionError('unsupported', `This session is open elsewhere; ${name} works only there.`);
}
