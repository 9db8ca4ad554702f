import type { Input } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import { savedNothing } from '../conversation/saved-nothing.js';
import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import { untracked } from '../signals/signals-core.js';
import type {
  AgentSession,
  CancelOptions,
  CancelReport,
  DisposeOptions,
  SendOptions,
} from './agent-session.js';
import type { CommandName } from './command-table.js';
import { emptyReport } from './empty-report.js';
import { HeldTurn, type SentTurn } from './held-turn.js';
import type { LoadedSession } from './loaded-session.js';
import { logCode } from './log-code.js';
import { SafeObservable } from './operation-stream.js';
import type { TurnEnd } from './prepared-turn.js';
import { runsOnce } from './runs-once.js';
import { sessionCode } from './session-code.js';
import type { LocalLine, SessionHandle } from './session-handle.js';
import type { SessionChanges, SessionOptions } from './session-options.js';
import type { SessionSettings } from './session-settings.js';
import { setLink } from './set-link.js';

/** A call that waits until the session is open. */
interface Waiting {
  /** Carries out the call. Returns a promise if the later calls have to wait for more. */
  begin(session: LoadedSession): void | Promise<unknown>;
  /** Rejects the call if the session cannot be opened now. Absent: the call waits for the next attempt. */
  refuse?(error: AgentSessionError): void;
  /** The changes of a `configure`. */
  readonly changes?: SessionChanges | undefined;
  /** The turn that begins. */
  readonly turn?: HeldTurn | undefined;
}

/**
 * The line of a session that is not open yet: its code is being loaded, or its log is not read. Calls wait, and are carried out in order.
 * Meanwhile a turn is shown as starting. A turn that ends before it can begin is shown as ended, and recorded when the session is open.
 */
export class LateLine implements LocalLine {
  private waiting: Waiting[] = [];
  /** The loaded session; null until its code is loaded. */
  private loaded: LoadedSession | null = null;
  /** `failed`: the last attempt to open the session has failed. An error: the session can never be opened, or is disposed. */
  private state: 'opening' | 'failed' | AgentSessionError = 'opening';

  /**
   * @param handle the handle whose calls wait here; it gets the line of the open session
   * @param session returns the session that the app receives; the open session calls its methods
   */
  constructor(
    private readonly handle: SessionHandle<LocalLine>,
    private readonly options: SessionOptions,
    private readonly settings: SessionSettings,
    private readonly session: () => AgentSession,
  ) {}

  /**
   * Opens the session, synchronously if its code is loaded and it reads no log. Then throws the errors of the option `conversation`. An
   * error that occurs later is reported, and each call rejects with it.
   */
  open(): void {
    const code = sessionCode.loaded;
    const { journal } = this.handle.ports;
    const isLoaded = code !== undefined && (journal === undefined || logCode.loaded !== undefined);
    // A session with a log opens later, so that code which subscribes right after creating the session gets all operations that follow the
    // log.
    if (!isLoaded || readsLog(this.options)) return this.openWith(this.loadAndOpen());
    this.loaded = code.loadSession(this.frame);
    this.openWith(this.loaded.open(() => this.finish()));
  }

  call(name: CommandName, args: readonly unknown[]): Promise<unknown> {
    if (name === 'cancel' && !this.isClosed) {
      // A session with a log or a saved conversation may have an open turn, which the cancel abandons.
      const hasNothing = isNew(this.options) && this.waiting.every(({ refuse }) => !refuse);
      const report =
        this.cancel(args[0] as CancelOptions | undefined) ?? (hasNothing ? emptyReport('idle') : null);
      if (report !== null) return Promise.resolve(report);
    }
    this.assertOpens();
    return new Promise((resolve, refuse) => {
      const begin = (line: LocalLine, given: readonly unknown[]) =>
        resolve((async () => line.call(name, given))());
      if (name !== 'send') this.waiting.push({ begin: ({ line }) => begin(line, args), refuse });
      else {
        const [input, options] = args as Parameters<AgentSession['send']>;
        this.hold({ input, options, begin, refuse });
      }
    });
  }

  turn$(input: Input, options?: SendOptions): Observable<Operation> {
    const { handle } = this;
    let turn: Observable<Operation> | null = null;
    let isHeld = false;
    return new SafeObservable<Operation>(
      (subscriber) =>
        untracked(() => {
          if (isHeld) throw runsOnce();
          if (handle.line !== this) {
            turn ??= handle.line.turn$(input, options);
            return turn.subscribe(subscriber);
          }
          this.assertOpens();
          const abort = this.hold({
            input,
            options,
            begin: (line, args) => subscriber.add(line.turn$(...args).subscribe(subscriber)),
            refuse: (error) => subscriber.error(error),
          });
          isHeld = true;
          return abort;
        }),
      handle.ports.reportError,
    );
  }

  configure(changes: SessionChanges): void {
    this.assertOpens();
    this.settings.check(...this.waiting.flatMap((one) => one.changes ?? []), changes);
    this.keep((line) => line.configure(changes), changes);
  }

  touch(domain: string): void {
    this.assertOpens();
    this.keep((line) => line.touch(domain));
  }

  save(): SavedConversation {
    return this.loaded?.line.save() ?? this.options.conversation ?? savedNothing();
  }

  async end(options: DisposeOptions | undefined): Promise<void> {
    // Set before readers see that a turn has ended, so that they cannot start another command.
    this.state = disposedError();
    this.cancel({ immediate: true });
    this.fail(this.state);
    if (this.loaded === null) this.handle.outputs.stream.complete();
    else await this.loaded.line.end(options);
  }

  /** The turn that starts; undefined if every waiting turn has ended. */
  private get starting(): HeldTurn | undefined {
    return this.waiting.find(({ turn }) => turn?.stage.end === null)?.turn;
  }

  /** Whether the session can never be opened, or is disposed. */
  private get isClosed(): boolean {
    return typeof this.state !== 'string';
  }

  /** Holds a call without a result. If the session cannot be opened now, the call waits for the next attempt. */
  private keep(run: (line: LocalLine) => void, changes?: SessionChanges): void {
    this.waiting.push({ begin: ({ line }) => void (async () => run(line))().catch(() => {}), changes });
  }

  /**
   * Holds a turn, and shows it as starting. Throws the errors with which `send` rejects because of the message, or because another turn
   * runs. Returns the function that aborts the turn while it waits.
   */
  private hold(sent: SentTurn): () => void {
    if (this.starting)
      throw new AgentSessionError('already-running', 'The session is busy: a turn is about to start.');
    const { signal } = sent.options ?? {};
    if (signal?.aborted) throw cancelledError();
    const { ports, outputs } = this.handle;
    const turn = new HeldTurn(sent, ports.ids, outputs.shown);
    const abort = () => {
      if (this.starting === turn) this.endStarting({ cancel: { immediate: true } }, cancelledError());
    };
    const forget = () => signal?.removeEventListener?.('abort', abort);
    // When the turn begins, the check of its options also checks that this is a signal.
    signal?.addEventListener?.('abort', abort, { once: true });
    this.waiting.push({
      turn,
      begin: (session) => {
        forget();
        return session.beginHeld(turn);
      },
    });
    this.publish();
    return abort;
  }

  /** Cancels the turn that starts. Returns null if no turn starts. */
  private cancel(cancel: CancelOptions = {}): CancelReport | null {
    if (!this.starting) return null;
    if (cancel.child !== undefined) return emptyReport('preparing');
    this.endStarting({ cancel }, cancelledError(), cancel);
    return emptyReport('preparing', true);
  }

  /**
   * Rejects the waiting calls, because the session cannot be opened now or at all. Turns that were shown wait until they can be recorded.
   */
  private fail(error: AgentSessionError): void {
    const all = this.waiting;
    this.waiting = all.filter(({ refuse }) => !refuse);
    // A call that is made during the loop is placed after the calls that stay.
    for (const { refuse } of all) refuse?.(error);
    if (this.starting) this.endStarting({ error }, error);
  }

  /**
   * Ends the turn that starts. The calls made after it were called while it ran, so its end is placed after them.
   *
   * @param cancel the options of the session's `cancel`, which also ends another turn that keeps this turn from beginning
   */
  private endStarting(end: TurnEnd, error: AgentSessionError, cancel?: CancelOptions): void {
    const turn = this.starting!;
    turn.ends(end, this.handle.outputs.errors);
    this.waiting.push({ begin: (session) => session.endHeld(turn, cancel) });
    this.publish();
    turn.sent.refuse(error);
  }

  private publish(): void {
    this.handle.outputs.projection.publish(false);
  }

  /** Throws if the session can never be opened. Otherwise starts an attempt to open it if none runs. */
  private assertOpens(): void {
    if (typeof this.state !== 'string') throw this.state;
    if (this.state === 'failed') this.openWith(this.loadAndOpen());
  }

  private openWith(attempt: Promise<void>): void {
    this.state = 'opening';
    attempt.catch((error: unknown) => {
      if (!this.isClosed) this.state = 'failed';
      this.fail(toSessionError(error, 'network', 'The session could not be opened.'));
    });
  }

  private async loadAndOpen(): Promise<void> {
    const { options, handle } = this;
    const { clock, journal } = handle.ports;
    const writes = readsLog(options) || journal !== undefined;
    const [code] = await Promise.all([sessionCode.get(clock), writes && logCode.get(clock)]);
    if (this.isClosed) return;
    try {
      this.loaded ??= code.loadSession(this.frame);
    } catch (error) {
      return this.stayClosed(error);
    }
    await this.loaded.open(() => this.finish());
  }

  /** Called for an invalid saved conversation: the session can never be opened. */
  private stayClosed(error: unknown): void {
    const { ports, link } = this.handle;
    const problem = toSessionError(error, 'invalid-configuration', 'The session could not be opened.');
    this.state = problem;
    this.fail(problem);
    setLink(link, { role: 'read-only', open: true }, ports);
    ports.reportError(problem);
  }

  /**
   * Carries out the waiting calls. Their changes are published together, so that a turn which is recorded as ended is not shown as running
   * again.
   */
  private finish(): void {
    if (this.isClosed) return;
    const { loaded } = this;
    const { handle, options } = this;
    // From now on calls go to the session directly, such as a call by a subscriber while the waiting calls are carried out.
    handle.line = loaded!.line;
    handle.outputs.projection.together(() => {
      const more = this.carryOut(loaded!);
      if (more) {
        handle.line = this;
        void more.then(() => this.finish());
      }
      // A turn that was shown may have been refused, and must disappear.
      loaded!.core.publish();
      // With a log, the code that opens the log changes the link.
      if (options.conversation !== undefined) setLink(handle.link, { open: true }, handle.ports);
    });
  }

  /** Carries out the waiting calls. If a call has to wait for more, returns its promise, and the later calls stay. */
  private carryOut(session: LoadedSession): Promise<unknown> | void {
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const more = next.begin(session);
      if (more) return more;
    }
  }

  private get frame() {
    const { handle, options, settings, session } = this;
    return { handle, options, settings, session: session() };
  }
}

/** Returns true if the session begins empty. */
export function isNew(options: SessionOptions): boolean {
  return options.conversation === undefined && !readsLog(options);
}

function readsLog({ log, restored }: SessionOptions): boolean {
  return log !== undefined || restored !== undefined;
}
