import { AgentSessionError, type ErrorData } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { AgentSession, LocalAgentSession, SendOptions } from './agent-session.js';
import { commandTable, traitsOf, type CommandName, type SentCommand } from './command-table.js';
import { sendOptions, turnOptions } from './turn-options.js';

// The messages between the followers of a session and its writer. `{command, id, args, from}`: a command, carried out once for its id;
// `from` is the owner that sent it, where that one can become the writer; a cancel with `of` ends the turn of that command alone. `{began}`: the writer begins to carry it out. `{receipt, result}` and
// `{receipt, error}`: its end. `{writer: true}`: a session has become the writer. `{left: true}`: it has released the log, and with
// `{to, epoch}` it gives the lease of this epoch to the sender of this command. `{ping: true}`: a follower asks for a sign of life, which any
// message of the writer is; `{pong: true}`: the writer lives.

/** A command of a follower. */
export interface ReceivedCommand {
  readonly id: string;
  readonly name: SentCommand;
  readonly args: readonly unknown[];
  /** Whether its sender can become the writer, and carry it out. */
  readonly canMove: boolean;
  /** The id of the command that has to begin before it; undefined where the order of arrival is that of the calls. */
  readonly after: string | undefined;
  /** The name of the host to which it was sent first; undefined the first time. */
  readonly host: string | undefined;
  /** The id of the command whose turn alone a cancel ends; undefined for any turn. */
  readonly of: string | undefined;
}

/** Whether a command is better carried out where its user looks. */
export function acts({ name }: ReceivedCommand): boolean {
  return traitsOf(name).does !== undefined;
}

/** Whether a command needs the code with which effects are taken back. */
export function movesEffects({ name }: ReceivedCommand): boolean {
  return traitsOf(name).does === 'moves';
}

/**
 * Returns the message of a command. The signal of a turn stays here, and infinite limits travel as null.
 *
 * @param from the owner that sends it; null for one that cannot become the writer
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

/** Returns the command of a message; undefined for another message. */
export function readCommand(message: JsonObject): ReceivedCommand | undefined {
  const { command, id, args, from, after, host, of } = message;
  const name = command as SentCommand;
  if (typeof id !== 'string' || !Array.isArray(args) || !isSent(name)) return undefined;
  const given = (args as unknown[]).map((value, index) =>
    // Limits of another form are refused by the command.
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
  };
}

/** Whether a follower can send a command of this name. */
function isSent(name: CommandName): boolean {
  return Object.hasOwn(commandTable, name) && traitsOf(name).stays !== 'session';
}

function textOrNone(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A session that carries commands out. One that follows another session has neither `generate` nor `touch`. */
export type CommandedSession = AgentSession & Partial<Pick<LocalAgentSession, 'generate' | 'touch'>>;

/**
 * Carries a command out, and resolves with the message for its sender.
 *
 * @param signal aborts the turn of the command
 */
export async function receiptOf(
  session: CommandedSession,
  command: ReceivedCommand,
  signal: AbortSignal,
): Promise<JsonObject> {
  const { id, name } = command;
  const run = session[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
  try {
    if (run === undefined) throw new AgentSessionError('unsupported', `This session has no ${name}.`);
    const result: unknown = await run(...withSignal(command, signal));
    // The function that `attend` returns stays here: its call is a command too.
    return { receipt: id, result: (typeof result === 'function' ? null : (result ?? null)) as JsonValue };
  } catch (thrown) {
    return refusal(id, toSessionError(thrown, 'provider-contract', 'The command failed.'));
  }
}

/** Returns the arguments of a command; those of a turn with its signal. */
function withSignal({ name, args }: ReceivedCommand, signal: AbortSignal): readonly unknown[] {
  const { starts, options: place } = traitsOf(name);
  // A message in the queue outlives the command that has put it there.
  if (!starts || place === undefined) return args;
  const { [place]: options = {} } = args;
  return isJsonObject(options) ? [...args.slice(0, place), { ...options, signal }] : args;
}

/** Returns the message for the sender of a command that ends without its result. */
export function refusal(id: string, error: AgentSessionError): JsonObject {
  return { receipt: id, error: error.toJSON() as unknown as JsonValue };
}

/** Returns the error of a command that a session may have begun, and did not end. */
export function interruptedCommand(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The session that carried out the command ended before it; the state shows what it did.',
    { details: { reason: 'command' } },
  );
}

/** Returns the error of a command that has ended long ago, and arrives again. */
export function forgottenAnswer(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The command was carried out, and its answer is gone; the state shows what it did.',
    { details: { reason: 'command' } },
  );
}

/** Returns the error of a receipt. */
export function errorOf(value: JsonValue): AgentSessionError {
  const { code, message, retry, details } = value as unknown as ErrorData;
  return new AgentSessionError(code, message, { retry, details });
}

/** Returns the signal that aborts the turn of a command. */
export function signalOf(command: SentCommand, args: readonly unknown[]): AbortSignal | undefined {
  const options = args.find((_value, index) => isOptions(command, index)) as SendOptions | undefined;
  return options?.signal;
}

/** Whether the argument at this place is the options of a turn. */
function isOptions(command: SentCommand, index: number): boolean {
  return index === traitsOf(command).options;
}

function optionsMessage({ signal: _signal, limits, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...turnOptions({ limits: limits as SendOptions['limits'] }) } as JsonObject;
}
