import type { SavedConversation } from '../conversation/saved-conversation.js';
import { savedNothing } from '../conversation/saved-nothing.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import { toSessionError } from '../errors/to-session-error.js';
import { text } from '../json/shape.js';
import { resolvePorts, type Ports } from '../ports/ports.js';
import { signal, type Signal } from '../signals/signals-core.js';
import { initialState } from '../state/initial-state.js';
import type { CancelOptions, CancelReport, DisposeOptions, LocalAgentSession } from './agent-session.js';
import type { CommandName } from './command-table.js';
import { emptyReport } from './empty-report.js';
import type { SentTurn } from './held-turn.js';
import type { LoadedSession } from './loaded-session.js';
import { logCode } from './log-code.js';
import { Opening } from './opening.js';
import { preloadCode } from './preload-code.js';
import { sessionCode } from './session-code.js';
import type { SessionChanges, SessionOptions } from './session-options.js';
import type { Link } from './session-log.js';
import { createOutputs, type SessionOutputs } from './session-outputs.js';
import { SessionSettings } from './session-settings.js';
import { setLink } from './set-link.js';

/**
 * The part of a session that a page loads first. It has the signals and the operations. It passes calls to the loaded session, and to
 * {@link Opening} until that session is open.
 */
export class SessionFront {
  readonly ports: Ports;
  readonly outputs: SessionOutputs;
  readonly link: Signal<Link>;
  /** The loaded session; null until its code is loaded. */
  private loaded: LoadedSession | null = null;
  /** null after the session has opened. */
  private opening: Opening | null;
  /** The running attempt to open the session; null after a failed attempt. */
  private attempt: Promise<void> | null = null;
  /** The error because of which the session can never be opened. */
  private problem: AgentSessionError | null = null;
  private disposal: Promise<void> | null = null;
  private readonly settings: SessionSettings;
  /** The settings including changes that wait until the session is open; null without such changes. */
  private changed: SessionSettings | null = null;

  /**
   * @param session returns the session that the app receives; the open session calls its methods
   * @throws AgentSessionError `invalid-configuration` and `unsupported`, as `createAgentSession` does
   */
  constructor(
    private readonly options: SessionOptions,
    private readonly session: () => LocalAgentSession,
  ) {
    const ports = (this.ports = resolvePorts(options.ports));
    this.settings = new SessionSettings(options);
    this.link = signal({ role: 'writer', open: this.isNew, saved: true });
    this.outputs = createOutputs(initialState(), ports, {
      respond: (...args) => session().respond(...args),
      words: options.words,
    });
    const { errors, projection, shown } = this.outputs;
    this.opening = new Opening({ ids: ports.ids, errors, shown, publish: () => projection.publish(false) });
  }

  /**
   * Opens the session, synchronously if its code is loaded and it reads no log. Then throws the errors of the option `conversation`. An
   * error that occurs later is reported, and each call rejects with it.
   */
  open(): void {
    const code = sessionCode.loaded;
    const isLoaded = code !== undefined && (this.ports.journal === undefined || logCode.loaded !== undefined);
    // A session with a log opens later, so that code which subscribes right after creating the session gets all operations that follow the
    // log.
    if (!isLoaded || this.readsLog) return this.openWith(this.loadAndOpen());
    this.loaded = code.loadSession(this.frame);
    this.openWith(this.loaded.open(() => this.finish()));
  }

  /**
   * Loads the code of the first turn in the background. A failure is ignored here: the call that needs the code loads it again, or fails.
   */
  loadAhead(): void {
    const { ports, settings } = this;
    const { hooks, compaction, discovery } = settings.current;
    preloadCode(ports, settings.tools.definitions, discovery).catch(() => {});
    hooks?.(ports.clock).catch(() => {});
    if (compaction.isAutomatic) compaction.load(ports.clock).catch(() => {});
  }

  /** The open session; null until it is open. */
  get opened(): LoadedSession | null {
    return this.opening === null ? this.loaded : null;
  }

  /** Passes a command to the session. The command waits until the session is open. */
  call(name: CommandName, args: readonly unknown[]): Promise<unknown> {
    const run = ({ methods }: LoadedSession) =>
      (methods[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    const { opened, opening } = this;
    if (opened !== null) return run(opened);
    this.assertOpens();
    return opening!.hold(run);
  }

  /** Holds a turn until the session is open. Returns the function that aborts the turn while it waits. */
  hold(turn: SentTurn): () => void {
    this.assertOpens();
    return this.opening!.holdTurn(turn);
  }

  cancel(options?: CancelOptions): Promise<CancelReport> {
    const { opening } = this;
    if (opening !== null && this.disposal === null) {
      // A session with a log or a saved conversation may have an open turn, which the cancel abandons.
      const hasNothing = this.isNew && opening.isIdle;
      const report = opening.cancel(options) ?? (hasNothing ? emptyReport('idle') : null);
      if (report !== null) return Promise.resolve(report);
    }
    return this.call('cancel', [options]) as Promise<CancelReport>;
  }

  configure(changes: SessionChanges): void {
    this.assertOpens();
    if (this.opening !== null) (this.changed ??= new SessionSettings(this.options)).change(changes);
    this.keep((session) => session.methods.configure(changes));
  }

  touch(domain: string): void {
    checked(text, domain, 'The domain of touch');
    this.assertOpens();
    this.keep((session) => session.methods.touch(domain));
  }

  save(): SavedConversation {
    return this.loaded?.methods.save() ?? this.options.conversation ?? savedNothing();
  }

  dispose(options?: DisposeOptions): Promise<void> {
    if (this.opened !== null) return this.opened.methods.dispose(options);
    if (this.disposal === null) {
      let resolveDisposal!: (end: Promise<void>) => void;
      // Set before readers see that a turn has ended, so that they cannot start another command.
      this.disposal = new Promise((resolve) => (resolveDisposal = resolve));
      resolveDisposal(this.end(this.opening!, options));
    }
    return this.disposal;
  }

  private async end(opening: Opening, options: DisposeOptions | undefined): Promise<void> {
    opening.cancel({ immediate: true });
    opening.fail(disposed());
    if (this.loaded === null) this.outputs.stream.complete();
    else await this.loaded.methods.dispose(options);
  }

  /** Passes on a call without a result. If the session cannot be opened now, the call is kept. */
  private keep(run: (session: LoadedSession) => void): void {
    if (this.opened !== null) run(this.opened);
    else this.opening!.keep(run);
  }

  /** Throws if the session can never be opened. Otherwise starts an attempt to open it if none runs. */
  private assertOpens(): void {
    if (this.disposal !== null) throw disposed();
    if (this.problem !== null) throw this.problem;
    if (this.attempt === null) this.openWith(this.loadAndOpen());
  }

  /** Returns true if the session begins empty. */
  private get isNew(): boolean {
    return this.options.conversation === undefined && !this.readsLog;
  }

  private get readsLog(): boolean {
    return this.options.log !== undefined || this.options.restored !== undefined;
  }

  private openWith(attempt: Promise<void>): void {
    this.attempt = attempt.catch((error: unknown) => {
      this.attempt = null;
      this.opening?.fail(toSessionError(error, 'network', 'The session could not be opened.'));
    });
  }

  private async loadAndOpen(): Promise<void> {
    const { clock } = this.ports;
    const writes = this.readsLog || this.ports.journal !== undefined;
    const [code] = await Promise.all([sessionCode.get(clock), writes && logCode.get(clock)]);
    if (this.disposal !== null) return;
    try {
      this.loaded ??= code.loadSession(this.frame);
    } catch (error) {
      return this.stayClosed(error);
    }
    await this.loaded.open(() => this.finish());
  }

  /** Called for an invalid saved conversation: the session can never be opened. */
  private stayClosed(error: unknown): void {
    const problem = toSessionError(error, 'invalid-configuration', 'The session could not be opened.');
    this.problem = problem;
    this.opening!.fail(problem);
    setLink(this.link, { role: 'read-only', open: true }, this.ports);
    this.ports.reportError(problem);
  }

  /**
   * Carries out the waiting calls. Their changes are published together, so that a turn which is recorded as ended is not shown as running
   * again.
   */
  private finish(): void {
    if (this.disposal !== null) return;
    const { loaded, outputs } = this;
    const opening = this.opening!;
    // From now on calls go to the session directly, such as a call by a subscriber while the waiting calls are carried out.
    this.opening = null;
    outputs.projection.together(() => {
      const more = opening.carryOut(loaded!);
      if (more) {
        this.opening = opening;
        void more.then(() => this.finish());
      }
      // A turn that was shown may have been refused, and must disappear.
      loaded!.core.publish();
      // With a log, the code that opens the log changes the link.
      if (this.options.conversation !== undefined) setLink(this.link, { open: true }, this.ports);
    });
  }

  private get frame() {
    const { options, ports, settings, outputs, link } = this;
    return { options, ports, settings, outputs, link, session: this.session() };
  }
}

function disposed(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session is disposed.');
}
