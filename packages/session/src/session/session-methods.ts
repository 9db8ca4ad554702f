import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import type { TurnOptions } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Input } from '../conversation/message.js';
import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { Signals } from '../signals/projection.js';
import { openReport } from '../state/open-report.js';
import { foldStateOf } from '../state/session-state.js';
import { allUndo } from '../state/undo-notes.js';
import { disposedError } from '../errors/disposed-error.js';
import type { TurnHost } from '../turn/turn-request.js';
import type {
  AgentSession,
  DisposeOptions,
  LocalAgentSession,
  SendOptions,
  TurnResult,
} from './agent-session.js';
import { attendMethod } from './attend-method.js';
import { revoke, setMode, showConsent } from './consent-commands.js';
import type { DomainReports } from './domain-reports.js';
import { generateMethod } from './generate-method.js';
import { lateCommandCode } from './late-command-code.js';
import type { LateFiles } from './late-files.js';
import type { PreparedTurn, TurnIds } from './prepared-turn.js';
import type { Queue } from './queue.js';
import { hasFiles, withoutFiles } from './read-input.js';
import { accept, reject } from './review-commands.js';
import { commandsThat, type CommandName, type LateCommand } from './command-table.js';
import type { SessionAccess } from './session-access.js';
import type { SessionCommands } from './session-commands.js';
import type { SessionCore } from './session-core.js';
import type { SessionLifetime } from './session-lifetime.js';
import type { SessionSettings } from './session-settings.js';
import { sendOptions } from './turn-options.js';
import type { TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';

/** The parts of a session behind its methods. */
export interface SessionParts {
  readonly access: SessionAccess;
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly settings: SessionSettings;
  readonly lifetime: SessionLifetime;
  readonly runner: TurnRunner;
  readonly commands: SessionCommands;
  readonly queue: Queue;
  readonly files: LateFiles;
  readonly host: TurnHost;
  readonly reports: DomainReports;
}

type Readable = keyof Signals | 'state' | 'link' | 'operations$' | typeof Symbol.asyncDispose;

/** The methods of a session once its code is loaded. The public ones call them, in the form that `command` gives those. */
export interface SessionMethods extends Omit<LocalAgentSession, Readable | 'send' | 'turn$'> {
  /** @param ids of the turn and of its message, where a view shows them already */
  send(input: Input, options?: SendOptions, ids?: TurnIds): Promise<TurnResult>;
  /** @param ids as those of `send` */
  turn$(input: Input, options?: SendOptions, ids?: TurnIds): Observable<Operation>;
}

/** Makes a method of a command, which this session or another one carries out. */
type Route = <Args extends unknown[], R>(
  name: CommandName,
  run: (...args: Args) => Promise<R>,
) => (...args: Args) => Promise<R>;

export function sessionMethods(parts: SessionParts): SessionMethods {
  const { access, core, settings, lifetime, runner, commands, files, reports } = parts;
  const route: Route =
    (name, run) =>
    (...args) =>
      access.pass(name, args, () => run(...args));
  return {
    send: (input, options, ids) =>
      files.turn(input, options, (read) => {
        const turn = runner.prepare(read, options, ids);
        return access.pass('send', [read.sent, options], () => startTurn(parts, turn));
      }),
    turn$: turnMethod(parts),
    generate: generateMethod(parts),
    retry: route('retry', (options) => commands.retry(options)),
    ...lateMethods(parts, route),
    edit: editMethod(parts),
    resume: route('resume', () => commands.interrupted('resume')),
    abandon: route('abandon', () => commands.abandon()),
    // A session that follows reads files itself.
    cancel: (...args) =>
      commands.cancelMove() ??
      access.pass('cancel', args, async () => {
        lifetime.assertAlive();
        return commands.cancel() ?? runner.cancel(...args);
      }),
    ...queueMethods(parts, route),
    ...questionMethods(parts, route),
    configure: (changes) => {
      lifetime.assertAlive();
      const changed = settings.change(changes);
      reports.follow(settings.tools.domains);
      access
        .pass('configure', [], () => {
          core.emitSession({ type: 'configured', changed });
          return commands.beside(showConsent);
        })
        .catch(() => {});
    },
    save: () => save(parts),
    ...undoMethods(parts, route),
    dispose: (options) => {
      reports.follow([]);
      return lifetime.dispose(() => endTurn(parts, options));
    },
  };
}

/** The methods about open questions, and about what is allowed without one. */
function questionMethods(
  { access, commands, host, ports }: SessionParts,
  route: Route,
): Pick<AgentSession, 'respond' | 'attend' | 'previewOf' | 'setMode' | 'revoke'> {
  return {
    respond: route('respond', async (...args) => commands.respond(...args)),
    attend: attendMethod(access, ports, async (...args) => host.consent?.attend(...args)),
    previewOf: route('previewOf', async (...args) =>
      // The function of the app that makes it is part of the turn, which does not run.
      commands.isInterrupted
        ? { errors: [interruptedFirst().message] }
        : (host.consent?.previewOf(...args) ?? ('already-settled' as const)),
    ),
    setMode: route('setMode', (id) => commands.beside((beside) => setMode(beside, id))),
    revoke: route('revoke', (id) => commands.beside((beside) => revoke(beside, id))),
  };
}

/** Returns the methods whose code is a chunk of their own: each is a function of its chunk with the name of the method. */
function lateMethods({ commands }: SessionParts, route: Route): Pick<AgentSession, LateCommand> {
  const method = (name: LateCommand) =>
    route<unknown[], unknown>(name, (...args) =>
      commands.late(lateCommandCode, (code: LateModule, parts) =>
        (code[name] as LateFunction)(parts, ...args),
      ),
    );
  const names = commandsThat<LateCommand>(({ late }) => late === true);
  return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<AgentSession, LateCommand>;
}

/** The functions that carry out these commands, with the arguments and the result of the methods. */
type LateModule = {
  readonly [N in LateCommand]: (
    parts: never,
    ...args: Parameters<AgentSession[N]>
  ) => ReturnType<AgentSession[N]>;
};

type LateFunction = (parts: unknown, ...args: unknown[]) => Promise<unknown>;

/** Returns the method that sends an earlier message in other words. Its code is a chunk of its own, too. */
function editMethod({ access, commands, core, files }: SessionParts): AgentSession['edit'] {
  return (turnId, input, ...rest) =>
    files.turn(input, optionsOf(endedTurn(turnId, core.current)), (read) =>
      access.pass('edit', [turnId, read.sent, ...rest], () =>
        commands.late(lateCommandCode, ({ edit }, parts) => edit(parts, turnId, read, ...rest)),
      ),
    );
}

/** Returns the method of a turn as a stream. */
function turnMethod(parts: SessionParts): SessionMethods['turn$'] {
  const { access, core, runner, commands, files } = parts;
  return (input, options, ids) =>
    turnStream(core, {
      prepare: () =>
        hasFiles(input)
          ? files.turn(input, options, async (read) => runner.prepare(read, options, ids))
          : runner.prepare(withoutFiles(input), options, ids),
      start: (turn) => access.pass('turn$', [input, options], () => startTurn(parts, turn)),
      leave: () => void commands.endMove(),
      abort: (id) => runner.abort(id),
    });
}

/** The methods about the effects of turns. */
function undoMethods(
  { access, commands, core, lifetime }: SessionParts,
  route: Route,
): Pick<LocalAgentSession, 'undo' | 'redo' | 'touch' | 'accept' | 'reject'> {
  return {
    undo: route('undo', async (options) => {
      lifetime.assertAlive();
      const turnId = core.current.interrupted?.turnId;
      if (turnId === undefined) return commands.undo('undo', options);
      commands.checkUndo('undo', options);
      if ((options?.turnId ?? turnId) !== turnId) throw interruptedFirst();
      return commands.abandon();
    }),
    redo: route('redo', async (options) => {
      lifetime.assertAlive();
      if (commands.isInterrupted) throw interruptedFirst();
      return commands.undo('redo', options);
    }),
    touch: (domain) => {
      lifetime.assertAlive();
      access
        .pass('touch', [domain], async () => commands.touch(domain, false))
        .catch((error: unknown) => core.reportError(error));
    },
    accept: route('accept', (ids) => commands.beside((beside) => accept(beside, ids))),
    reject: route('reject', (ids) => commands.beside((beside) => reject(beside, ids))),
  };
}

function interruptedFirst(): AgentSessionError {
  return new AgentSessionError('conflict', 'An interrupted turn has to be ended first.', {
    details: { reason: 'interrupted' },
  });
}

/** The methods that are about the queue. */
function queueMethods(
  { access, core, files, queue, lifetime }: SessionParts,
  route: Route,
): Pick<AgentSession, 'enqueue' | 'requeue' | 'dequeue' | 'resumeQueue' | 'steer'> {
  const run = <R>(command: () => Promise<R>): Promise<R> => {
    lifetime.assertAlive();
    return command();
  };
  return {
    enqueue: (input, ...rest) =>
      files.ordered(input, rest[0], (read = withoutFiles(input)) =>
        access.pass('enqueue', [read.sent, ...rest], () => run(() => queue.enqueue(read, ...rest))),
      ),
    requeue: (id, change) =>
      files.ordered(change?.input, optionsOf(core.current.queue.find((item) => item.id === id)), (read) =>
        access.pass('requeue', [id, read === undefined ? change : { ...change, input: read.sent }], () =>
          run(() => queue.requeue(id, change, read)),
        ),
      ),
    dequeue: route('dequeue', (id) =>
      files.ordered(undefined, undefined, () => run(() => queue.dequeue(id))),
    ),
    resumeQueue: route('resumeQueue', () => run(() => queue.resumeQueue())),
    steer: (input) =>
      files.ordered(input, undefined, (read = withoutFiles(input)) =>
        access.pass('steer', [read.sent], () => run(() => queue.steer(read))),
      ),
  };
}

/** Returns the options of a turn, or of a message in the queue, by which the files of its new input are read. */
function optionsOf(kept: { readonly options?: TurnOptions | undefined } | null | undefined): SendOptions {
  return sendOptions(kept?.options);
}

function save({ core, runner }: SessionParts): SavedConversation {
  const state = foldStateOf(core.state);
  const fold = { ...state.fold, undo: allUndo(state) };
  return saveConversation({ ...state, fold }, runner.report ?? openReport(state));
}

/** Starts a turn; one that was interrupted is abandoned first, after the checks that can refuse the new one. */
async function startTurn(
  { runner, commands, lifetime }: SessionParts,
  turn: PreparedTurn,
): Promise<TurnResult> {
  if (commands.isInterrupted) await commands.abandonBefore(turn);
  // The turn may have waited since its checks.
  lifetime.assertFree();
  return runner.start(turn);
}

/** Ends the running turn, as `dispose` does: it is taken back, or left to the next session that opens the log. */
function endTurn({ runner, commands, queue, host }: SessionParts, { turn }: DisposeOptions = {}): void {
  queue.leave(disposedError());
  commands.endMove();
  if (turn !== 'leave') {
    void runner.cancel({ immediate: true });
    return;
  }
  host.isLeft = true;
  runner.leave(new AgentSessionError('disposed', 'The session was disposed; its turn was left open.'));
}
