import type { ErrorData, JsonObject, JsonValue } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { AgentSession, LocalAgentSession, SendOptions } from './agent-session.js';
import type { Arrived } from './arrivals.js';
import { commandTable, traitsOf, type CommandName, type SentCommand } from './command-table.js';
import { sendOptions } from './send-options.js';
import { turnOptions } from '../turn/turn-options.js';

// The messages between the followers of a session and its writer. `{command, id, args, from}` is a command; the writer carries it out once
// for its id. `from` is the owner that sent the command, if that owner can become the writer. `client` and `by` are those of
// `commandBegan`. `epoch` is that of the owner that the sender knew. A cancel with `of` ends only the turn of the command with that id.
// `{began}`: the command has arrived. `{receipt, result}` and `{receipt, error}`: the command has ended. `{writer: true, epoch}`: a session
// has become the writer. `{left: true}`: the writer has released the log; with `{to, epoch}` it gives the lease of this epoch to the sender of
// the command `to`.
//
// Each message may be lost, arrive twice or arrive late. So a follower asks with `{ping: true, ids}`, with the ids of its commands without a
// receipt; any message of the writer is a sign of life. The writer answers `{pong: true}`, sends the receipts of the ended commands again,
// and `{missing, epoch}` for each command that did not arrive. The follower then sends that command again, if it has no receipt. A command
// that names an earlier epoch is missing too: it may have arrived late, after an earlier writer refused it.

/** A command of a follower. */
export interface ReceivedCommand {
  readonly id: string;
  readonly name: SentCommand;
  readonly args: readonly unknown[];
  /** Whether the sender can become the writer and carry out the command itself. */
  readonly canMove: boolean;
  /** The id of the command that has to begin first; undefined if the commands arrive in the order of the calls. */
  readonly after: string | undefined;
  /** The name of the host to which the command was sent first; undefined the first time. */
  readonly host: string | undefined;
  /** For a cancel: the id of the command whose turn it ends; undefined to end any turn. */
  readonly of: string | undefined;
  /** The epoch of the owner that the sender knew; undefined if the sender states none. */
  readonly epoch: number | undefined;
  /** As in `commandBegan`. */
  readonly client: string | undefined;
  /** As in `commandBegan`. */
  readonly by: string | undefined;
}

/** Returns true if the command should be carried out in the page that the user looks at. */
export function acts({ name }: ReceivedCommand): boolean {
  return traitsOf(name).does !== undefined;
}

/** Returns true if the command needs the code that takes effects back. */
export function movesEffects({ name }: ReceivedCommand): boolean {
  return traitsOf(name).does === 'moves';
}

/**
 * Returns the message of a command. The signal of a turn is left out, and infinite limits are sent as null.
 *
 * @param from the owner that sends it; null if it cannot become the writer
 */
export function commandMessage(
  id: string,
  command: SentCommand,
  args: readonly unknown[],
  from: string | null,
): JsonObject {
  const json = args.map((value, index) =>
    isOptions(command, index) && isJsonObject(value) ? optionsMessage(value) : value,
  );
  const message = { command, id, args: json.map((value) => (value ?? null) as JsonValue) };
  return from === null ? message : { ...message, from };
}

/** Returns the command of a message; undefined if the message is not a command. */
export function readCommand(message: JsonObject): ReceivedCommand | undefined {
  const { command, id, args, from, after, host, of, client, by, epoch } = message;
  const name = command as SentCommand;
  if (typeof id !== 'string' || !Array.isArray(args) || !isSent(name)) return undefined;
  const given = (args as unknown[]).map((value, index) =>
    // The command itself refuses limits of another form.
    isOptions(name, index) && isJsonObject(value) && isJsonObject(value['limits'])
      ? { ...value, ...sendOptions(value) }
      : (value ?? undefined),
  );
  return {
    id,
    name,
    args: given,
    canMove: typeof from === 'string',
    after: textOrNone(after),
    host: textOrNone(host),
    of: textOrNone(of),
    epoch: typeof epoch === 'number' ? epoch : undefined,
    client: textOrNone(client) ?? textOrNone(from),
    by: textOrNone(by),
  };
}

/** Returns true if a follower can send a command of this name. */
function isSent(name: CommandName): boolean {
  return Object.hasOwn(commandTable, name) && traitsOf(name).stays !== 'session';
}

function textOrNone(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A session that carries out commands. A session that follows another session has neither `generate` nor `touch`. */
export type CommandedSession = AgentSession & Partial<Pick<LocalAgentSession, 'generate' | 'touch'>>;

/**
 * Carries a command out, and resolves with the message for its sender.
 *
 * @param signal aborts the turn of the command
 * @param log carries the command out in a session with a log; undefined for a session without one
 */
export async function receiptOf(
  session: CommandedSession,
  command: ReceivedCommand,
  signal: AbortSignal,
  log?: {
    carryOut(command: Arrived, run: () => Promise<unknown>, aborted: AbortSignal): Promise<unknown>;
  },
): Promise<JsonObject> {
  const { id, name } = command;
  const run = session[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  try {
    if (run === undefined) throw new AgentSessionError('unsupported', `This session has no ${name}.`);
    const call = () => run(...withSignal(command, signal));
    const result: unknown = await (log === undefined ? call() : log.carryOut(command, call, signal));
    // `attend` returns a function, which is not sent: ending the attendance is a command too.
    return { receipt: id, result: (typeof result === 'function' ? null : (result ?? null)) as JsonValue };
  } catch (thrown) {
    return refusal(id, toSessionError(thrown, 'provider-contract', 'The command failed.'));
  }
}

/** Returns the arguments of a command. The options of a turn get the signal. */
function withSignal({ name, args }: ReceivedCommand, signal: AbortSignal): readonly unknown[] {
  const { starts, options: place } = traitsOf(name);
  // A message in the queue outlives the command that enqueued it, so it gets no signal.
  if (!starts || place === undefined) return args;
  const { [place]: options = {} } = args;
  return isJsonObject(options) ? [...args.slice(0, place), { ...options, signal }] : args;
}

/** Returns the message for the sender of a command that ended without a result. */
export function refusal(id: string, error: AgentSessionError): JsonObject {
  return { receipt: id, error: error.toJSON() as unknown as JsonValue };
}

/** Returns the error of a command that a session may have begun but did not end. */
export function interruptedCommand(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The session that carried out the command ended before it; the state shows what it did.',
    { details: { reason: 'command' } },
  );
}

/** Returns the error of a command that arrives again long after it ended. */
export function forgottenAnswer(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The command was carried out, and its answer is gone; the state shows what it did.',
    { details: { reason: 'command' } },
  );
}

/** Reads the error of a receipt. */
export function errorOf(value: JsonValue): AgentSessionError {
  const { code, message, retry, details } = value as unknown as ErrorData;
  return new AgentSessionError(code, message, { retry, details });
}

/** Returns the signal that aborts the turn of a command. */
export function signalOf(command: SentCommand, args: readonly unknown[]): AbortSignal | undefined {
  const options = args.find((_value, index) => isOptions(command, index)) as SendOptions | undefined;
  return options?.signal;
}

/** Returns true if the argument at this index is the options of a turn. */
function isOptions(command: SentCommand, index: number): boolean {
  return index === traitsOf(command).options;
}

function optionsMessage({ signal: _signal, limits, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...turnOptions({ limits: limits as SendOptions['limits'] }) } as JsonObject;
}
