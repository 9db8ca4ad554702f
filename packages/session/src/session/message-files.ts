import type { Input } from '@banister/provider';
import { withTurnLimits, type GivenTurnLimits, type Limits } from '../limits/limits.js';
import type { Attached } from '../operations/session-operations.js';
import type { Ports } from '../ports/ports.js';
import { filesCode } from './files-code.js';
import { InOrder } from './in-order.js';
import { hasFiles, withoutFiles, type InputWithFiles, type ReadInput } from './read-input.js';
import type { QueueChange } from './agent-session.js';
import { traitsOf, type CommandName } from './command-table.js';
import type { SessionCore } from './session-core.js';

/** The parts of a session that reading files needs. */
interface FileParts {
  readonly core: Pick<SessionCore, 'current'>;
  readonly ports: Pick<Ports, 'clock' | 'ids'>;
  /** Fires when the session has ended: no file is read any more. The reason is the error with which the commands reject. */
  readonly signal: AbortSignal;
  /** Returns the limits of the session. */
  limits(): Limits;
  /** Keeps the session for a turn that starts after its files were read. A cancel fires the signal. */
  hold<T, R>(read: (signal: AbortSignal) => Promise<T>, run: (read: T) => Promise<R>): Promise<R>;
  /** Returns a function that is called after the reading, for the same command, see `SessionLane.carried`. Default: the function itself. */
  carried?<A, R>(run: (read: A) => R): (read: A) => R;
  /** Returns the options of the turn, or of the message in the queue, that a command changes. Their limits apply to its files. Default: none. */
  kept?(name: CommandName, id: unknown): ReadingOptions | undefined;
}

/** The options of a command that apply to reading its files. */
interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits?: GivenTurnLimits | undefined;
}

/** Reads the files of messages before the commands with these messages begin. A message without files does not wait. */
export class MessageFiles {
  /** The commands of the queue that have not begun. */
  private readonly queue = new InOrder();
  /** The contents read for commands that have not ended. */
  private readonly waiting = new Set<Attached>();

  constructor(private readonly parts: FileParts) {}

  /**
   * Reads the files of a command's message, and then passes the command on. For the commands of {@link readsFirst}.
   *
   * @param pass gets the arguments with the message as it was read, and the arguments with the message as another session gets it
   */
  first<R>(
    name: CommandName,
    args: readonly unknown[],
    pass: (args: readonly unknown[], sent: readonly unknown[]) => Promise<R>,
  ): Promise<R> {
    const { message = 0, options, starts } = traitsOf(name);
    const given = args[message];
    const change = message === 1 && !starts ? ((given ?? {}) as QueueChange) : null;
    const input = (change === null ? given : change.input) as Input;
    if (change !== null && input === undefined)
      return this.ordered(undefined, undefined, () => pass(args, args));
    const replaced = (value: unknown) =>
      Object.assign([...args], { [message]: change === null ? value : { ...change, input: value } });
    const run = (read = withoutFiles(input)) => pass(replaced(read), replaced(read.sent));
    const ofTurn = (options === undefined ? this.parts.kept?.(name, args[0]) : args[options]) as
      ReadingOptions | undefined;
    return starts ? this.turn(input, ofTurn, run) : this.ordered(input, ofTurn, run);
  }

  /** Runs a command that starts a turn. While its files are read, the session is shown as running, and refuses other commands. */
  turn<R>(
    input: Input,
    options: ReadingOptions | undefined,
    run: (input: ReadInput) => Promise<R>,
  ): Promise<R> {
    if (!hasFiles(input)) return run(withoutFiles(input));
    let given: ReadInput | undefined;
    const read = async (signal: AbortSignal) => (given = await this.read(input, options, signal));
    const result = this.parts.hold(read, this.carried(run));
    this.forgetAfter(result, () => given);
    return result;
  }

  /** Runs a command of the queue. Commands begin in the order of the calls. */
  private ordered<R>(
    input: Input | undefined,
    options: ReadingOptions | undefined,
    run: (read: ReadInput | undefined) => Promise<R>,
  ): Promise<R> {
    const isUnread = hasFiles(input);
    if (this.queue.isIdle && !isUnread) return run(undefined);
    const read = isUnread ? this.read(input, options) : Promise.resolve(undefined);
    read.catch(() => {});
    const carried = this.carried(run);
    const begun = this.queue.add(async () => {
      const given = await read;
      const result = carried(given);
      this.forgetAfter(result, () => given);
      return { result };
    });
    return begun.then(({ result }) => result);
  }

  private carried<A, R>(run: (read: A) => R): (read: A) => R {
    return this.parts.carried?.(run) ?? run;
  }

  /** Forgets the contents of a message when its command has ended: then the session has the contents, or does not need them. */
  private forgetAfter(command: Promise<unknown>, read: () => ReadInput | undefined): void {
    const forget = () => {
      for (const one of read()?.attached ?? []) this.waiting.delete(one);
    };
    command.then(forget, forget);
  }

  private async read(
    input: InputWithFiles,
    { signal, limits }: ReadingOptions = {},
    cancelled?: AbortSignal,
  ): Promise<ReadInput> {
    const { core, ports, signal: ended } = this.parts;
    const aborter = new AbortController();
    const abort = () => aborter.abort();
    const signals = [ended, cancelled, signal];
    for (const one of signals) {
      if (one?.aborted) abort();
      one?.addEventListener('abort', abort, { once: true });
    }
    try {
      const { readFiles } = await filesCode.get(ports.clock);
      return await readFiles(input, {
        limits: withTurnLimits(this.parts.limits(), limits),
        ports,
        state: () => core.current,
        waiting: this.waiting,
        signal: aborter.signal,
      });
    } catch (error) {
      throw ended.aborted ? ended.reason : error;
    } finally {
      for (const one of signals) one?.removeEventListener('abort', abort);
    }
  }
}

/** Returns true for a command that may have a message. */
export const readsFirst = (name: CommandName): boolean => traitsOf(name).message !== undefined;
