import type { TurnOptions } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Input } from '../conversation/message.js';
import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import type { Ports } from '../ports/ports.js';
import type { Signals } from '../signals/projection.js';
import { savedConversationOf } from '../state/saved-conversation-of.js';
import { disposedError } from '../errors/disposed-error.js';
import type { TurnHost } from '../turn/turn-request.js';
import type {
  AgentSession,
  DisposeOptions,
  LocalAgentSession,
  SendOptions,
  TurnResult,
} from './agent-session.js';
import { revoke, setMode, showConsent } from './consent-commands.js';
import type { DomainReports } from './domain-reports.js';
import { generateMethod } from './generate-method.js';
import { commandCode } from './command-code.js';
import type { MessageFiles } from './message-files.js';
import type { PreparedTurn, TurnIds } from './prepared-turn.js';
import type { Queue } from './queue.js';
import { hasFiles, withoutFiles } from './read-input.js';
import { interruptedFirst } from './interrupted-first.js';
import type { Way } from './lane.js';
import { accept, reject } from './review-commands.js';
import { commandsThat, type CommandName, type ChunkCommand } from './command-table.js';
import type { SessionCommands } from './session-commands.js';
import type { SessionCore } from './session-core.js';
import type { SessionLane } from './session-lane.js';
import type { SessionSettings } from './session-settings.js';
import { sendOptions } from './turn-options.js';
import type { TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';

/** The parts of a session that its methods use. */
export interface SessionParts {
  readonly lane: SessionLane;
  readonly core: SessionCore;
  readonly ports: Ports;
  readonly settings: SessionSettings;
  readonly runner: TurnRunner;
  readonly commands: SessionCommands;
  readonly queue: Queue;
  readonly files: MessageFiles;
  readonly host: TurnHost;
  readonly reports: DomainReports;
}

type Readable = keyof Signals | 'state' | 'link' | 'operations$' | typeof Symbol.asyncDispose;

/** The methods of a session whose code is loaded. The public methods, wrapped by `command`, call them. */
export interface SessionMethods extends Omit<LocalAgentSession, Readable | 'send' | 'turn$' | 'attend'> {
  /** @param ids the ids of the turn and of its message, if a view already shows them */
  send(input: Input, options?: SendOptions, ids?: TurnIds): Promise<TurnResult>;
  /** @param ids as in `send` */
  turn$(input: Input, options?: SendOptions, ids?: TurnIds): Observable<Operation>;
  /** Tells an open question whether an attendant is there. */
  attend(requestId: string, attendant: string, isThere: boolean): Promise<void>;
}

/** Returns a method for a command that this session or another session carries out. */
type Route = <Args extends unknown[], R>(
  name: CommandName,
  run: (way: Way, ...args: Args) => Promise<R>,
) => (...args: Args) => Promise<R>;

export function sessionMethods(parts: SessionParts): SessionMethods {
  const { lane, core, settings, runner, commands, files, reports } = parts;
  const route: Route =
    (name, run) =>
    (...args) =>
      lane.enter(name, args, (way) => run(way, ...args));
  return {
    send: (input, options, ids) =>
      files.turn(input, options, (read) =>
        lane.enter('send', [read.sent, options], (way) =>
          startTurn(parts, way, runner.prepare(read, options, ids)),
        ),
      ),
    turn$: turnMethod(parts),
    generate: generateMethod(parts),
    retry: route('retry', (...args) => commands.retry(...args)),
    ...chunkMethods(parts, route),
    edit: editMethod(parts),
    resume: route('resume', () => commands.interrupted('resume')),
    abandon: route('abandon', () => commands.abandon()),
    cancel: route('cancel', (...args) => commands.cancel(...args)),
    ...queueMethods(parts, route),
    ...questionMethods(parts, route),
    configure: (changes) => {
      lane.wayOf('configure');
      const changed = settings.change(changes);
      reports.follow(settings.tools.domains);
      lane
        .enter('configure', [], () => {
          core.emitSession({ type: 'configured', changed });
          return showConsent(parts);
        })
        .catch(() => {});
    },
    save: () => savedConversationOf(core.state, runner.report ?? undefined),
    ...undoMethods(parts, route),
    dispose: (options) => {
      reports.follow([]);
      return lane.dispose(() => endTurn(parts, options));
    },
  };
}

/** Returns the methods for open questions, for modes and for grants. */
function questionMethods(
  parts: SessionParts,
  route: Route,
): Pick<SessionMethods, 'respond' | 'attend' | 'previewOf' | 'setMode' | 'revoke'> {
  const { commands, host } = parts;
  return {
    respond: route('respond', async (_way, ...args) => commands.respond(...args)),
    attend: route('attend', async (_way, ...args) => host.consent?.attend(...args)),
    previewOf: route('previewOf', async (way, ...args) =>
      // A preview needs a function of the app that belongs to the turn, and an interrupted turn does not run.
      way === 'wait'
        ? { errors: [interruptedFirst().message] }
        : (host.consent?.previewOf(...args) ?? ('already-settled' as const)),
    ),
    setMode: route('setMode', (_way, id) => setMode(parts, id)),
    revoke: route('revoke', (_way, id) => revoke(parts, id)),
  };
}

/** Returns the methods that load on first use. The chunk exports a function with the name of each method. */
function chunkMethods({ commands }: SessionParts, route: Route): Pick<AgentSession, ChunkCommand> {
  const method = (name: ChunkCommand) =>
    route<unknown[], unknown>(name, (_way, ...args) =>
      commands.fromChunk(commandCode, (code: CommandChunk, parts) =>
        (code[name] as ChunkFunction)(parts, ...args),
      ),
    );
  const names = commandsThat<ChunkCommand>(({ inChunk }) => inChunk === true);
  return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<AgentSession, ChunkCommand>;
}

/** The exports of the chunk, with the arguments and results of the methods. */
type CommandChunk = {
  readonly [N in ChunkCommand]: (
    parts: never,
    ...args: Parameters<AgentSession[N]>
  ) => ReturnType<AgentSession[N]>;
};

type ChunkFunction = (parts: unknown, ...args: unknown[]) => Promise<unknown>;

/** Returns the method that sends an earlier message with a changed text. Its code is in the chunk too. */
function editMethod({ lane, commands, core, files }: SessionParts): AgentSession['edit'] {
  return (turnId, input, ...rest) =>
    files.turn(input, optionsOf(endedTurn(turnId, core.current)), (read) =>
      lane.enter('edit', [turnId, read.sent, ...rest], () =>
        commands.fromChunk(commandCode, ({ edit }, parts) => edit(parts, turnId, read, ...rest)),
      ),
    );
}

/** Returns the method that runs a turn as a stream. */
function turnMethod(parts: SessionParts): SessionMethods['turn$'] {
  const { lane, core, runner, files } = parts;
  return (input, options, ids) =>
    turnStream(core, {
      prepare() {
        lane.wayOf('turn$');
        return hasFiles(input)
          ? files.turn(input, options, async (read) => runner.prepare(read, options, ids))
          : runner.prepare(withoutFiles(input), options, ids);
      },
      start: (turn) => lane.enter('turn$', [input, options], (way) => startTurn(parts, way, turn)),
      leave: () => void lane.stop('move'),
      abort: (id) => runner.abort(id),
    });
}

/** Returns the methods for the effects of turns. */
function undoMethods(
  parts: SessionParts,
  route: Route,
): Pick<LocalAgentSession, 'undo' | 'redo' | 'touch' | 'accept' | 'reject'> {
  const { lane, commands, core } = parts;
  const reviewed = { ...parts, reopenReview: () => commands.interrupted('reopenReview') };
  return {
    undo: route('undo', async (way, options) => {
      if (way === 'begin') return commands.undo('undo', options);
      commands.checkUndo('undo', options);
      const { turnId } = core.current.interrupted!;
      if ((options?.turnId ?? turnId) !== turnId) throw interruptedFirst();
      return commands.abandon();
    }),
    redo: route('redo', (_way, options) => commands.undo('redo', options)),
    touch: (domain) => {
      lane.wayOf('touch');
      lane
        .enter('touch', [domain], async () => commands.touch(domain, false))
        .catch((error: unknown) => core.reportError(error));
    },
    accept: route('accept', (_way, ids) => accept(reviewed, ids)),
    reject: route('reject', (_way, ids) => reject(reviewed, ids)),
  };
}

/** Returns the methods for the queue. */
function queueMethods(
  { lane, core, files, queue }: SessionParts,
  route: Route,
): Pick<AgentSession, 'enqueue' | 'requeue' | 'dequeue' | 'resumeQueue' | 'steer'> {
  return {
    enqueue: (input, ...rest) =>
      files.ordered(input, rest[0], (read = withoutFiles(input)) =>
        lane.enter('enqueue', [read.sent, ...rest], (way) => queue.enqueue(way, read, ...rest)),
      ),
    requeue: (id, change) =>
      files.ordered(change?.input, optionsOf(core.current.queue.find((item) => item.id === id)), (read) =>
        lane.enter('requeue', [id, read === undefined ? change : { ...change, input: read.sent }], () =>
          queue.requeue(id, change, read),
        ),
      ),
    dequeue: (id) =>
      files.ordered(undefined, undefined, () => lane.enter('dequeue', [id], () => queue.dequeue(id))),
    resumeQueue: route('resumeQueue', () => queue.resumeQueue()),
    steer: (input) =>
      files.ordered(input, undefined, (read = withoutFiles(input)) =>
        lane.enter('steer', [read.sent], (way) => queue.steer(way, read)),
      ),
  };
}

/** Returns the options of a turn, or of a message in the queue. Their limits apply to the files of its new input. */
function optionsOf(kept: { readonly options?: TurnOptions | undefined } | null | undefined): SendOptions {
  return sendOptions(kept?.options);
}

/** Starts a turn. An interrupted turn is abandoned first, but only after the checks that can refuse the new turn. */
async function startTurn(
  { lane, runner, commands }: SessionParts,
  way: Way,
  turn: PreparedTurn,
): Promise<TurnResult> {
  if (way === 'wait') {
    await commands.abandonBefore(turn);
    lane.wayOf('send');
  }
  return runner.start(turn);
}

/** Ends the running turn for `dispose`: the turn is taken back, or left to the next session that opens the log. */
function endTurn({ core, runner, lane, queue, host }: SessionParts, { turn }: DisposeOptions = {}): void {
  queue.leave(disposedError());
  void lane.stop('move');
  // A rollback would have no record.
  core.journal?.stopHolding();
  if (turn !== 'leave') {
    // The cancel rejects if the turn is left after all, because its rollback could not be recorded.
    runner.cancel({ immediate: true }).catch(() => {});
    return;
  }
  host.isLeft = true;
  runner.leave(
    new AgentSessionError(
      'disposed',
      'The session was disposed; the next session with its log can resume its turn.',
    ),
  );
}
