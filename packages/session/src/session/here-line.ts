import type { JsonObject } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { disposedError } from '@banister/provider/internal/errors/disposed-error';
import type { Ports } from '../ports/ports.js';
import type { TurnHost } from '../turn/turn-request.js';
import type {
  AgentSession,
  DisposeOptions,
  EnqueueOptions,
  LeaveOptions,
  SendOptions,
  SteerOptions,
  TurnResult,
  UndoOptions,
} from './agent-session.js';
import { revoke, setMode, showConsent } from '../consent/consent-commands.js';
import type { DomainReports } from './domain-reports.js';
import { generateMethod } from '../structured/generate-method.js';
import { commandCode } from './command-code.js';
import { readsFirst, type MessageFiles } from './message-files.js';
import type { PreparedTurn, TurnIds } from './prepared-turn.js';
import type { Queue, ReadChange } from '../queue/queue-commands.js';
import { hasFiles, withoutFiles, type ReadInput } from './read-input.js';
import { interruptedFirst } from './interrupted-first.js';
import type { Way } from './lane.js';
import { accept, reject } from '../review/review-commands.js';
import { commandsThat, type CommandName, type ChunkCommand } from './command-table.js';
import type { SessionCommands } from './session-commands.js';
import type { SessionCore } from './session-core.js';
import type { SessionLane } from './session-lane.js';
import { savedConversationOf } from '../state/saved-conversation-of.js';
import type { LocalLine } from './session-handle.js';
import type { SessionSettings } from './session-settings.js';
import type { TurnRunner } from './turn-runner.js';
import { turnStream } from './turn-stream.js';

/** The parts of a session that its commands use. */
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

/** The functions that carry the commands out. They get the message of a command as it was read. */
type Functions = Record<
  Exclude<CommandName, 'turn$' | 'generate' | 'configure' | 'touch'>,
  (way: Way, ...args: never[]) => Promise<unknown>
>;

/** Returns the line of an open session. It reads the files of a message, and then the lane decides where and when the command is carried out. */
export function hereLine(parts: SessionParts): LocalLine {
  const { lane, core, settings, commands, files, reports } = parts;
  const functions = functionsOf(parts) as unknown as Record<CommandName, AnyFunction>;
  const generate = generateMethod(parts) as (...args: readonly unknown[]) => Promise<unknown>;
  return {
    call(name, given) {
      if (name === 'generate') return generate(...given);
      const run = (args: readonly unknown[]) => (way: Way) => functions[name](way, ...args);
      if (!readsFirst(name)) return lane.enter(name, given, run(given));
      return files.first(name, given, (args, sent) => lane.enter(name, sent, run(args)));
    },
    turn$: turnMethod(parts),
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
    touch: (domain) => {
      lane.wayOf('touch');
      lane
        .enter('touch', [domain], async () => commands.touch(domain, false))
        .catch((error: unknown) => core.reportError(error));
    },
    save: () => savedConversationOf(core.state, parts.runner.report ?? undefined),
    end: (options) => {
      reports.follow([]);
      return lane.end(() => endTurn(parts, options));
    },
  };
}

type AnyFunction = (way: Way, ...args: readonly unknown[]) => Promise<unknown>;

function functionsOf(parts: SessionParts): Functions {
  return {
    ...turnFunctions(parts),
    ...queueFunctions(parts.queue),
    ...questionFunctions(parts),
    ...undoFunctions(parts),
    ...chunkFunctions(parts.commands),
  };
}

/** Returns the functions for turns. */
function turnFunctions(parts: SessionParts) {
  const { commands, runner } = parts;
  return {
    send: (way, read: ReadInput, options?: SendOptions, ids?: TurnIds) =>
      startTurn(parts, way, runner.prepare(read, options, ids)),
    retry: commands.retry.bind(commands),
    edit: (_way, turnId: string, read: ReadInput, options?: LeaveOptions) =>
      commands.fromChunk(commandCode, ({ edit }, branch) => edit(branch, turnId, read, options)),
    resume: () => commands.interrupted('resume'),
    abandon: commands.abandon.bind(commands),
    cancel: commands.cancel.bind(commands),
  } satisfies Partial<Functions>;
}

/** Returns the functions for open questions, for modes and for grants. */
function questionFunctions(parts: SessionParts) {
  const { commands, host } = parts;
  return {
    respond: commands.respond.bind(commands),
    // Tells an open question whether an attendant is there.
    attend: async (_way, id: string, attendant: string, isThere: boolean) =>
      host.desk.open.get(id)?.attend?.(attendant, isThere),
    previewOf: async (way, id: string, edited: JsonObject) =>
      // A preview needs a function of the app that belongs to the turn, and an interrupted turn does not run.
      way === 'wait'
        ? { errors: [interruptedFirst().message] }
        : (host.desk.open.get(id)?.previewOf?.(edited) ?? ('already-settled' as const)),
    setMode: (_way, id: string) => setMode(parts, id),
    revoke: (_way, id: string) => revoke(parts, id),
  } satisfies Partial<Functions>;
}

/** Returns the functions that load on first use. The chunk exports a function with the name of each command. */
function chunkFunctions(commands: SessionCommands): Record<ChunkCommand, AnyFunction> {
  const functionOf =
    (name: ChunkCommand): AnyFunction =>
    (_way, ...args) =>
      commands.fromChunk(commandCode, (code: CommandChunk, parts) =>
        (code[name] as ChunkFunction)(parts, ...args),
      );
  const names = commandsThat<ChunkCommand>(({ inChunk }) => inChunk === true);
  return Object.fromEntries(names.map((name) => [name, functionOf(name)])) as Record<
    ChunkCommand,
    AnyFunction
  >;
}

/** The exports of the chunk, with the arguments and results of the methods. */
type CommandChunk = {
  readonly [N in ChunkCommand]: (
    parts: never,
    ...args: Parameters<AgentSession[N]>
  ) => ReturnType<AgentSession[N]>;
};

type ChunkFunction = (parts: unknown, ...args: unknown[]) => Promise<unknown>;

/** Returns the method that runs a turn as a stream. */
function turnMethod(parts: SessionParts): LocalLine['turn$'] {
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

/** Returns the functions for the effects of turns. */
function undoFunctions(parts: SessionParts) {
  const { commands, core } = parts;
  const reviewed = { ...parts, reopenReview: () => commands.interrupted('reopenReview') };
  return {
    undo: async (way, options?: UndoOptions) => {
      if (way === 'begin') return commands.undo('undo', options);
      commands.checkUndo('undo', options);
      const { interrupted, fold } = core.current;
      const { turnId } = interrupted!;
      const open = fold.undoing?.child;
      if ((options?.turnId ?? turnId) !== turnId || (options?.child ?? open) !== open)
        throw interruptedFirst();
      return commands.abandon();
    },
    redo: (_way, options?: UndoOptions) => commands.undo('redo', options),
    accept: (_way, ids?: readonly string[]) => accept(reviewed, ids),
    reject: (_way, ids?: readonly string[]) => reject(reviewed, ids),
  } satisfies Partial<Functions>;
}

/** Returns the functions for the queue. */
function queueFunctions(queue: Queue) {
  return {
    enqueue: (way, read: ReadInput, options?: EnqueueOptions) => queue.enqueue(way, read, options),
    requeue: (_way, id: string, change: ReadChange) => queue.requeue(id, change),
    dequeue: (_way, id: string) => queue.dequeue(id),
    resumeQueue: () => queue.resumeQueue(),
    steer: (way, read: ReadInput, options?: SteerOptions) => queue.steer(way, read, options),
  } satisfies Partial<Functions>;
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
    void runner.running?.cancel({ immediate: true });
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
