import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import type { TurnOptions } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import { checked } from '../errors/checked.js';
import { text } from '../json/shape.js';
import type { LazyCode } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { untracked } from '../signals/signals-core.js';
import { foldStateOf } from '../state/session-state.js';
import { recordedUndo } from '../state/undo-note.js';
import { cancelledError } from '../turn/cancellation.js';
import type { TurnHost } from '../turn/turn-request.js';
import type {
  AgentSession,
  DisposeOptions,
  LocalAgentSession,
  SendOptions,
  TurnResult,
} from './agent-session.js';
import { attendMethod } from './attend-method.js';
import { command } from './command.js';
import { branchCode } from './branch-code.js';
import { compactionCommandCode } from './compaction-command-code.js';
import { consentCode } from './consent-code.js';
import type { DomainReports } from './domain-reports.js';
import { generateMethod } from './generate-method.js';
import type { LateCommands } from './late-commands.js';
import type { LateFiles } from './late-files.js';
import type { LateQueue } from './late-queue.js';
import { logCode } from './log-code.js';
import type { CommandName, SessionAccess, TurnCommand } from './session-access.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import type { PreparedTurn } from './prepared-turn.js';
import { hasFiles, withoutFiles } from './read-input.js';
import { reviewCode } from './review-code.js';
import { turnCode } from './turn-code.js';
import type { TurnRunner } from './turn-runner.js';
import { sendOptions } from './turn-options.js';
import { turnStream } from './turn-stream.js';
import { withAsyncDispose } from './with-async-dispose.js';

/** The parts of a session behind its public methods. */
export interface SessionParts {
  readonly access: SessionAccess;
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly respond: AgentSession['respond'];
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly commands: LateCommands;
  readonly queue: LateQueue;
  readonly files: LateFiles;
  readonly host: TurnHost;
  readonly reports: DomainReports;
}

/** Makes a public method of a command, which this session or another one carries out. */
type Route = <Args extends unknown[], R>(
  name: CommandName,
  run: (...args: Args) => Promise<R>,
) => (...args: Args) => Promise<R>;

/** Returns the session that an app gets: its signals, and its methods in the form that {@link command} gives them. */
export function publicSession(parts: SessionParts): LocalAgentSession {
  const { access, core, settings, lifetime, runner, commands, files, reports } = parts;
  const route: Route = (name, run) => command((...args) => access.pass(name, args, () => run(...args)));
  const start: StartTurn = (command, turn) => access.start(command, turn, () => startTurn(parts, turn));
  const session = withAsyncDispose<LocalAgentSession>({
    ...core.projection.signals,
    link: keepRaw(access.link),
    get state() {
      return core.state;
    },
    operations$: core.stream.operations$,
    send: command((input, ...rest) =>
      files.turn(input, rest[0], (read) =>
        start({ name: 'send', args: [read.sent, ...rest] }, runner.prepare(read, ...rest)),
      ),
    ),
    turn$: turnMethod(parts, start),
    generate: generateMethod(parts),
    ...lateMethods(route, parts),
    resume: route('resume', () => commands.interrupted('resume')),
    abandon: route('abandon', () => commands.interrupted('abandon')),
    // A session that follows reads files itself.
    cancel: command(
      (...args) =>
        commands.cancelMove() ??
        access.pass('cancel', args, async () => {
          lifetime.assertAlive();
          return commands.cancel() ?? runner.cancel(...args);
        }),
    ),
    ...queueMethods(parts, route),
    ...questionMethods(parts, route),
    configure: (changes) =>
      untracked(() => {
        lifetime.assertAlive();
        const changed = settings.change(changes);
        reports.follow(settings.tools.domains);
        access
          .pass('configure', [], () => {
            core.emitSession({ type: 'configured', changed });
            return showConsent(parts);
          })
          .catch(() => {});
      }),
    save: () => save(parts),
    ...undoMethods(route, parts),
    dispose: (options) =>
      untracked(() => {
        reports.follow([]);
        return lifetime.dispose(() => endTurn(parts, options));
      }),
  });
  return asInstance(keepRaw(session));
}

/** The methods about open questions. */
function questionMethods(
  { access, commands, host, ports, respond }: SessionParts,
  route: Route,
): Pick<AgentSession, 'respond' | 'attend' | 'previewOf'> {
  return {
    respond,
    attend: attendMethod(access, ports, async (...args) => host.consent?.attend(...args)),
    previewOf: route('previewOf', async (...args) =>
      // The function of the app that makes it is part of the turn, which does not run.
      commands.isInterrupted
        ? { errors: [interruptedFirst().message] }
        : (host.consent?.previewOf(...args) ?? ('already-settled' as const)),
    ),
  };
}

/** Returns the methods whose code is a chunk of their own: each is a function of its chunk with the name of the method. */
function lateMethods(
  route: Route,
  { access, commands, core, files }: SessionParts,
): Pick<AgentSession, LateName | 'edit'> {
  /** @param way `now` and `late` start a turn or move the head; `beside` may be called while a turn runs */
  const methods = <Name extends LateName, Code extends LateModule<Name>>(
    way: 'now' | 'late' | 'beside',
    chunk: LazyCode<Code>,
    ...names: readonly Name[]
  ) => {
    const method = (name: Name) =>
      route<unknown[], unknown>(name, (...args) =>
        commands[way](chunk, (code, parts) => (code[name] as LateFunction)(parts, ...args)),
      );
    return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<AgentSession, Name>;
  };
  return {
    ...methods('now', turnCode, 'retry'),
    ...methods('late', branchCode, 'regenerate', 'switchTo', 'clear'),
    ...methods('late', compactionCommandCode, 'compact', 'uncompact'),
    ...methods('beside', reviewCode, 'accept', 'reject'),
    ...methods('beside', consentCode, 'setMode', 'revoke'),
    edit: command((turnId, input, ...rest) =>
      files.turn(input, optionsOf(endedTurn(turnId, core.current)), (read) =>
        access.pass('edit', [turnId, read.sent, ...rest], () =>
          commands.late(branchCode, ({ edit }, parts) => edit(parts, turnId, read, ...rest)),
        ),
      ),
    ),
  };
}

type LateName =
  | 'retry'
  | 'regenerate'
  | 'switchTo'
  | 'clear'
  | 'compact'
  | 'uncompact'
  | 'accept'
  | 'reject'
  | 'setMode'
  | 'revoke';

/** A module with functions that carry out commands, with the arguments and the result of the methods. */
type LateModule<Name extends LateName> = {
  readonly [N in Name]: (parts: never, ...args: Parameters<AgentSession[N]>) => ReturnType<AgentSession[N]>;
};

type LateFunction = (parts: unknown, ...args: unknown[]) => Promise<unknown>;

type StartTurn = (command: TurnCommand, turn: PreparedTurn) => Promise<TurnResult>;

/** Returns the method of a turn as a stream. */
function turnMethod(
  { access, core, runner, commands, files }: SessionParts,
  start: StartTurn,
): LocalAgentSession['turn$'] {
  return (...args) =>
    turnStream(core, {
      prepare: () => {
        const [input, options] = args;
        return hasFiles(input)
          ? files.turn(input, options, async (read) => runner.prepare(read, options))
          : runner.prepare(withoutFiles(input), options);
      },
      start: (turn) => start({ name: 'turn$', args }, turn),
      leave: () => void commands.endMove(),
      abort: (id) => {
        access.detour?.abortTurn(id);
        runner.abort(id);
      },
    });
}

/** The methods about the effects of committed turns. */
function undoMethods(
  route: Route,
  { access, commands, core, lifetime }: SessionParts,
): Pick<LocalAgentSession, 'undo' | 'redo' | 'touch'> {
  return {
    undo: route('undo', async (options) => {
      const turnId = core.current.interrupted?.turnId;
      if (turnId === undefined) return commands.undo('undo', options);
      if ((options?.turnId ?? turnId) !== turnId) throw interruptedFirst();
      return commands.interrupted('abandon');
    }),
    redo: route('redo', async (options) => {
      if (commands.isInterrupted) throw interruptedFirst();
      return commands.undo('redo', options);
    }),
    touch: (domain) =>
      untracked(() => {
        lifetime.assertAlive();
        checked(text, domain, 'The domain of touch');
        access
          .pass('touch', [domain], async () => commands.touch(domain, false))
          .catch((error: unknown) => core.reportError(error));
      }),
  };
}

function interruptedFirst(): AgentSessionError {
  return new AgentSessionError('conflict', 'An interrupted turn has to be ended first.', {
    details: { reason: 'interrupted' },
  });
}

/** The methods that are about the queue. */
function queueMethods(
  { access, core, files, queue }: SessionParts,
  route: Route,
): Pick<AgentSession, 'enqueue' | 'requeue' | 'dequeue' | 'resumeQueue' | 'steer'> {
  return {
    enqueue: command((input, ...rest) =>
      files.ordered(input, rest[0], (read = withoutFiles(input)) =>
        access.pass('enqueue', [read.sent, ...rest], () => queue.enqueue(read, ...rest)),
      ),
    ),
    requeue: command((id, change) =>
      files.ordered(change?.input, optionsOf(core.current.queue.find((item) => item.id === id)), (read) =>
        access.pass('requeue', [id, read === undefined ? change : { ...change, input: read.sent }], () =>
          queue.run((code) => code.requeue(id, change, read)),
        ),
      ),
    ),
    dequeue: route('dequeue', (id) =>
      files.ordered(undefined, undefined, () => queue.run((code) => code.dequeue(id))),
    ),
    resumeQueue: route('resumeQueue', () => queue.run((code) => code.resumeQueue())),
    steer: command((input) =>
      files.ordered(input, undefined, (read = withoutFiles(input)) =>
        access.pass('steer', [read.sent], () => queue.steer(read)),
      ),
    ),
  };
}

/** Returns the options of a turn, or of a message in the queue, by which the files of its new input are read. */
function optionsOf(kept: { readonly options?: TurnOptions | undefined } | null | undefined): SendOptions {
  return sendOptions(kept?.options);
}

/** Shows the mode and the grants that are in force. */
export function showConsent({ commands }: SessionParts): Promise<void> {
  return commands.beside(consentCode, (code, parts) => code.showConsent(parts));
}

function save({ core, runner }: SessionParts): SavedConversation {
  const state = foldStateOf(core.state);
  // Without one of these, no effect was recorded or moved since the session was created.
  const code = turnCode.loaded ?? logCode.loaded;
  const undo = code ? code.allUndo(state) : recordedUndo(state.fold.undo);
  const report = runner.report ?? code?.openReport(state) ?? null;
  return saveConversation({ ...state, fold: { ...state.fold, undo } }, report);
}

/** Starts a turn; one that was interrupted is abandoned first, after the checks that can refuse the new one. */
async function startTurn(
  { runner, commands, lifetime }: SessionParts,
  turn: PreparedTurn,
): Promise<TurnResult> {
  if (commands.isInterrupted) {
    await commands.interrupted('abandon');
    if (turn.signal?.aborted) throw cancelledError();
  }
  // The turn may have waited since its checks.
  lifetime.assertFree();
  return runner.start(turn);
}

/** Ends the running turn, as `dispose` does: it is taken back, or left to the next session that opens the log. */
function endTurn({ runner, commands, queue, host }: SessionParts, { turn }: DisposeOptions = {}): void {
  queue.leave(new AgentSessionError('disposed', 'The session was disposed; its queue is kept in its log.'));
  commands.endMove();
  if (turn !== 'leave') {
    void runner.cancel({ immediate: true });
    return;
  }
  host.isLeft = true;
  runner.leave(new AgentSessionError('disposed', 'The session was disposed; its turn was left open.'));
}
