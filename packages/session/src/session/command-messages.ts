import { AgentSessionError, isAgentSessionError, type ErrorData } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { AgentSession, SendOptions } from './agent-session.js';
import type { CommandName } from './session-access.js';
import { sendOptions, turnOptions } from './turn-options.js';

/** A command that a follower can send. */
export type SentCommand = Exclude<CommandName, 'turn$' | 'configure'>;

/** A command as it has arrived. */
export interface ReadCommand {
  readonly id: string;
  readonly command: SentCommand;
  readonly args: readonly unknown[];
  /** The id of the command that has to begin before it; undefined where the order of arrival is that of the calls. */
  readonly after: string | undefined;
  /** The name of the host to which it was sent first; undefined the first time. */
  readonly host: string | undefined;
}

// The messages between the followers of a session and its writer. `{command, id, args}`: a command, carried out once for its id.
// `{began}`: the writer begins to carry it out. `{receipt, result}` and `{receipt, error}`: its end. `{writer: true}`: a session has become
// the writer. `{left: true}`: it has released the log.

/** Every command that can be sent. */
export const sentCommands: readonly SentCommand[] = [
  'send',
  'retry',
  'regenerate',
  'edit',
  'switchTo',
  'cancel',
  'respond',
  'undo',
  'redo',
  'resume',
  'abandon',
  'enqueue',
  'requeue',
  'dequeue',
  'resumeQueue',
  'steer',
];

/** Returns the message of a command. The signal of a turn stays here, and infinite limits travel as null. */
export function commandMessage(id: string, command: SentCommand, args: readonly unknown[]): JsonObject {
  const json = args.map((value, index) =>
    isOptions(command, index) && isJsonObject(value) ? optionsMessage(value) : value,
  );
  return { command, id, args: json.map((value) => (value ?? null) as JsonValue) };
}

/** Returns the command of a message; undefined for another message. */
export function readCommand(message: JsonObject): ReadCommand | undefined {
  const { command, id, args, after, host } = message;
  const name = command as SentCommand;
  if (typeof id !== 'string' || !Array.isArray(args) || !sentCommands.includes(name)) return undefined;
  const given = (args as unknown[]).map((value, index) =>
    isOptions(name, index) && isJsonObject(value)
      ? { ...value, ...sendOptions(value) }
      : (value ?? undefined),
  );
  return { id, command: name, args: given, after: textOrNone(after), host: textOrNone(host) };
}

function textOrNone(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Carries a command out, and resolves with the message for its sender. */
export async function receiptOf(
  session: AgentSession,
  { id, command, args }: ReadCommand,
): Promise<JsonObject> {
  const run = session[command] as (...args: unknown[]) => Promise<unknown>;
  try {
    return { receipt: id, result: ((await run(...args)) ?? null) as JsonValue };
  } catch (thrown) {
    const error = isAgentSessionError(thrown)
      ? thrown
      : toSessionError(thrown, 'provider-contract', 'The command failed.');
    return refusal(id, error);
  }
}

/** Returns the message for the sender of a command that ends without its result. */
export function refusal(id: string, error: AgentSessionError): JsonObject {
  return { receipt: id, error: error.toJSON() as unknown as JsonValue };
}

/** Returns the error of a command that a session may have begun, and did not end. */
export function interruptedCommand(): AgentSessionError {
  return new AgentSessionError(
    'interrupted',
    'The session that carried out the command ended before it; the state shows the part that was carried out.',
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
  if (command === 'retry') return index === 0;
  return (command === 'send' || command === 'enqueue') && index === 1;
}

function optionsMessage({ signal: _signal, limits, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...turnOptions({ limits: limits as SendOptions['limits'] }) } as JsonObject;
}
