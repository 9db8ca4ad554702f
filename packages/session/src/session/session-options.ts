import type { ContextSource } from '../context/context-source.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Guard } from '../guards/guard.js';
import { resolveLimits, type GivenLimits } from '../limits/limits.js';
import type { GivenPorts, Ports } from '../ports/ports.js';
import type { Provider } from '../provider/provider.js';
import type { Domain } from '../tools/domain.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ConfirmHandler, TurnSettings } from '../turn/turn-request.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { LoadedLog, SessionLog } from './session-log.js';

/** The options of a session. Only the provider is required. */
export interface SessionOptions {
  /** The adapter to the model. */
  readonly provider: Provider;
  /** The parts of the app that the agent can act on. Default: none, the model gets no tools. */
  readonly domains?: readonly Domain[] | undefined;
  /** Called in order for each tool call. Default: none, every valid call runs. */
  readonly guards?: readonly Guard[] | undefined;
  /** Answers confirmations in code. Default, and with `null`: they wait in `pendingConfirmations` for `respond`. */
  readonly confirm?: ConfirmHandler | null | undefined;
  /** The static persona: the first part of the system prompt. Default: none. */
  readonly role?: string | undefined;
  /** Sources of live context, read before every request. Default: none. */
  readonly context?: readonly ContextSource[] | undefined;
  /** Default: {@link defaultLimits}. */
  readonly limits?: GivenLimits | undefined;
  /**
   * The app's own undo history. Default: `new UndoHistory()`, which runs the closures that tools record. `null` turns undo off: no
   * effect is reverted, also not by a rollback, and reports list each as irreversible.
   */
  readonly history?: UndoProvider | null | undefined;
  /** A saved conversation to continue. Default: a new one. */
  readonly conversation?: SavedConversation | undefined;
  /**
   * A log to continue, which the app has loaded: a snapshot and the records after it, or all records. The session is there at once, empty;
   * when it has read the log, it emits `ownerChanged` and `link.open` is true. Until then `send` shows a turn that starts, and commands
   * wait. A log that is damaged, or that a newer release wrote to, is shown as far as it can be read: the session is `read-only`, and
   * its commands reject `storage` or `unsupported`. The session keeps the log and freezes it. Without the option `conversation`.
   *
   * @example
   * const restored = await log.load('chat-42');
   * const session = createAgentSession({ provider, domains, restored });
   */
  readonly restored?: Pick<LoadedLog, 'snapshot' | 'records'> | undefined;
  /**
   * The id of the session in its log. Needed with `log`, and only with it.
   */
  readonly id?: string | undefined;
  /**
   * The log in which the session is kept. The session is there at once, empty, and reads its log as with `restored`. It writes every
   * operation, and holds the lease of the log until it is disposed. Where another session holds the lease, this one follows it: `link.role`
   * is `follower`, its state is that of the log, and the other session carries out its commands. It takes over when the other one is
   * disposed, or does not renew its lease for 5 seconds. Without a channel of the log a follower is `read-only`.
   *
   * A log that cannot be opened within 5 seconds is left alone: the session is empty, in memory, and `link.saved` is false.
   * Without the options `conversation` and `restored`, and without the port `journal`.
   *
   * @example
   * const session = createAgentSession({ provider, domains, id: 'chat-42', log });
   */
  readonly log?: SessionLog | undefined;
  /**
   * The reaction to a turn, an undo or a redo that the last owner of the log did not end. `wait`: it waits for `resume` or `abandon`.
   * `resume`: the session goes on with it when it opens, once for each point of a turn; the next time it waits. `abandon`: the session
   * takes it back. Default `wait`.
   */
  readonly onInterrupted?: 'wait' | 'resume' | 'abandon' | undefined;
  /** Time, ids, frames and other parts of the platform, for tests and special hosts. */
  readonly ports?: GivenPorts | undefined;
}

/**
 * The options that can change between turns. One that is absent or undefined stays as it is; `guards: []`, `context: []`, `role: ''`,
 * `limits: {}` and `confirm: null` remove the setting.
 */
export type SessionChanges = {
  readonly [Name in (typeof changeable)[number]]?: SessionOptions[Name] | undefined;
};

/** Checks the options that cannot change. Throws `invalid-configuration`, naming the option. */
export function checkOptions(options: SessionOptions): void {
  if (typeof options !== 'object' || options === null) wrong('A session needs options: at least a provider.');
  refuseUnknown(options, sessionOptions, 'option of a session');
  const { history, domains, ports, restored } = options;
  if (history !== undefined && history !== null && typeof history.begin !== 'function') {
    wrong('The option history needs a function begin; null turns undo off.');
  }
  if (domains !== undefined && !Array.isArray(domains)) wrong('The option domains must be a list.');
  if (restored !== undefined) {
    if (typeof restored !== 'object' || !Array.isArray(restored?.records))
      wrong('The option restored needs a list of records.');
    if (options.conversation !== undefined)
      wrong('A session continues a conversation or a restored log, not both.');
  }
  if (options.log !== undefined) checkLog(options);
  else if (options.id !== undefined) wrong('The option id needs the option log.');
  if (ports !== undefined && (typeof ports !== 'object' || ports === null))
    wrong('The option ports must be an object.');
  if (!['wait', 'resume', 'abandon', undefined].includes(options.onInterrupted))
    wrong('The option onInterrupted is "wait", "resume" or "abandon".');
  refuseUnknown(ports ?? {}, portNames, 'port');
  if (ports?.journal !== undefined && typeof ports.journal?.write !== 'function')
    wrong('The port journal needs a function write.');
}

function checkLog({ log, id, conversation, restored, ports }: SessionOptions): void {
  if (typeof log?.claim !== 'function' || typeof log.load !== 'function')
    wrong('The option log must be a SessionLog.');
  if (typeof id !== 'string' || id === '') wrong('A session with a log needs an id.');
  if (conversation !== undefined || restored !== undefined)
    wrong('A session continues a conversation, a restored log or its log: one of them.');
  if (ports?.journal !== undefined) wrong('A session with a log writes there: it has no port journal.');
}

/** Checks the options that can change, and returns the settings of a turn. Throws `invalid-configuration`, naming the option. */
export function resolveSettings(options: Pick<SessionOptions, 'provider'> & SessionChanges): TurnSettings {
  const { provider, guards = [], confirm, role = '', context = [], limits } = options;
  if (typeof provider?.stream !== 'function' || typeof provider.id !== 'string') {
    wrong('A session needs a provider with an id and a function stream.');
  }
  if (!Array.isArray(guards)) wrong('The option guards must be a list.');
  if (!Array.isArray(context)) wrong('The option context must be a list.');
  guards.forEach((guard: unknown, index) => {
    if (typeof guard !== 'function') wrong(`Guard ${index} is no function; make one with defineGuard.`);
  });
  if (confirm !== undefined && confirm !== null && typeof confirm !== 'function') {
    wrong('The option confirm must be a function; null leaves confirmations to the user.');
  }
  if (typeof role !== 'string') wrong('The option role must be a text.');
  const ids = new Set<string>();
  for (const source of context) {
    if (typeof source?.id !== 'string' || source.id === '' || typeof source.summary !== 'function') {
      wrong('A context source needs an id and a function summary.');
    }
    if (source.policy !== 'always')
      wrong(`The context source "${source.id}" has an unknown policy "${source.policy}".`);
    if (ids.has(source.id)) wrong(`The context source "${source.id}" is registered twice.`);
    ids.add(source.id);
  }
  return {
    provider,
    guards: [...guards],
    confirm: confirm ?? undefined,
    role,
    context: [...context],
    limits: resolveLimits(limits),
  };
}

/** Checks that each tool which a guard names is one of the session. Throws `invalid-configuration`. */
export function checkGuards(guards: readonly Guard[], tools: ToolRegistry): void {
  for (const guard of guards)
    for (const id of guard.tools ?? [])
      if (!tools.get(id)) wrong(`The guard ${guard.name} names "${id}", which is no tool of this session.`);
}

const changeable = ['provider', 'guards', 'limits', 'role', 'context', 'confirm'] as const;
const sessionOptions = [
  ...changeable,
  'domains',
  'history',
  'conversation',
  'restored',
  'onInterrupted',
  'id',
  'log',
  'ports',
] as const satisfies readonly (keyof SessionOptions)[];
const portNames = [
  'clock',
  'ids',
  'random',
  'scheduler',
  'validator',
  'reportError',
  'journal',
] as const satisfies readonly (keyof Ports)[];

/**
 * Refuses unknown names: with a misspelt option such as `guard`, which would be ignored, every call would run. Throws
 * `invalid-configuration` with the names.
 *
 * @param what the kind of thing that has a name, for the message: `option of a session`
 */
function refuseUnknown(given: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(given).filter((key) => !known.includes(key));
  if (unknown.length > 0)
    wrong(`There is no ${what} with this name: ${unknown.join(', ')}. Known are ${known.join(', ')}.`);
}

/**
 * Checks that options are an object with known names. Throws `invalid-configuration`.
 *
 * @param what the thing that has the options, for the message: `a turn`
 */
export function checkNames(options: object, known: readonly string[], what: string): void {
  if (typeof options !== 'object' || options === null) wrong(`The options of ${what} must be an object.`);
  refuseUnknown(options, known, `option of ${what}`);
}

/** Checks that `configure` got only settings that can change. Throws `invalid-configuration`. */
export function checkChanges(changes: SessionChanges): void {
  if (typeof changes !== 'object' || changes === null) wrong('The changes must be an object of settings.');
  refuseUnknown(changes, changeable, 'changeable setting');
}

function wrong(message: string): never {
  throw new AgentSessionError('invalid-configuration', message);
}
