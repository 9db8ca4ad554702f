import { AgentSessionError, isAgentSessionError, type ErrorData } from '../errors/agent-session-error.js';
import { toSessionError } from '../errors/to-session-error.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.js';
import type { AgentSession, SendOptions } from './agent-session.js';
import type { CommandName } from './session-access.js';
import { sendOptions, turnOptions } from './turn-options.js';

/** A command that a follower can send. */
export type SentCommand = Exclude<CommandName, 'turn$' | 'configure'>;

// The messages between the followers of a session and its writer. `{command, id, args, from}`: a command, carried out once for its id;
// `from` is the owner that sent it, where that one can become the writer. `{began}`: the writer begins to carry it out. `{receipt, result}` and
// `{receipt, error}`: its end. `{writer: true}`: a session has become the writer. `{left: true}`: it has released the log, and with
// `{to, epoch}` it gives the lease of this epoch to the sender of this command. `{ping: true}`: a follower asks for a sign of life, which any
// message of the writer is; `{pong: true}`: the writer lives.

const sentCommands: readonly string[] = [
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
] satisfies readonly SentCommand[];

/** Commands that let tools and models run. */
const acting: readonly SentCommand[] = [
  'send',
  'retry',
  'regenerate',
  'edit',
  'switchTo',
  'respond',
  'undo',
  'redo',
  'resume',
  'abandon',
  'enqueue',
  'resumeQueue',
  'steer',
];
/** Those of them that take effects back, or make them again. */
const moving: readonly SentCommand[] = ['regenerate', 'edit', 'switchTo', 'undo', 'redo'];

/** A command of a follower. */
export interface ReceivedCommand {
  readonly id: string;
  readonly name: SentCommand;
  readonly args: unknown[];
  /** Whether its sender can become the writer, and carry it out. */
  readonly canMove: boolean;
}

/** Whether a command is better carried out where its user looks. */
export function acts({ name }: ReceivedCommand): boolean {
  return acting.includes(name);
}

/** Whether a command needs the code with which effects are taken back. */
export function movesEffects({ name }: ReceivedCommand): boolean {
  return moving.includes(name);
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
  const { command, id, args, from } = message;
  if (typeof id !== 'string' || !Array.isArray(args) || !sentCommands.includes(command as string))
    return undefined;
  const name = command as SentCommand;
  const given = (args as unknown[]).map((value, index) =>
    isOptions(name, index) && isJsonObject(value)
      ? { ...value, ...sendOptions(value) }
      : (value ?? undefined),
  );
  return { id, name, args: given, canMove: typeof from === 'string' };
}

/** Carries a command out, and resolves with the message for its sender. */
export async function receiptOf(
  session: AgentSession,
  { id, name, args }: ReceivedCommand,
): Promise<JsonObject> {
  const run = session[name] as (...args: unknown[]) => Promise<unknown>;
  try {
    return { receipt: id, result: ((await run(...args)) ?? null) as JsonValue };
  } catch (thrown) {
    const error = isAgentSessionError(thrown)
      ? thrown
      : toSessionError(thrown, 'provider-contract', 'The command failed.');
    return { receipt: id, error: error.toJSON() as unknown as JsonValue };
  }
}

/** Returns the error of a receipt. */
export function errorOf(value: JsonValue): AgentSessionError {
  const { code, message, retry, details } = value as unknown as ErrorData;
  return new AgentSessionError(code, message, { retry, details });
}

/** Whether the argument at this place is the options of a turn. */
function isOptions(command: SentCommand, index: number): boolean {
  if (command === 'retry') return index === 0;
  return (command === 'send' || command === 'enqueue') && index === 1;
}

function optionsMessage({ signal: _signal, limits, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...turnOptions({ limits: limits as SendOptions['limits'] }) } as JsonObject;
}
