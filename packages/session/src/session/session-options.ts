import type { CompactionSetting } from '../compaction/compaction.js';
import type { ContextSource } from '../context/context-source.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import { assertReadable, isVersion } from '../conversation/saved-version.js';
import { checked, refusal } from '../errors/checked.js';
import type { StagedDiscovery } from '../discovery/staged-discovery.js';
import type { GrantStore } from '../guards/grant-store.js';
import type { Guard } from '../guards/guard.js';
import type { Mode } from '../guards/mode.js';
import {
  any,
  filled,
  func,
  having,
  list,
  oneOf,
  only,
  optional,
  orNull,
  positive,
  repeatedIn,
  text,
  type Read,
} from '../json/shape.js';
import { resolveLimits, type GivenLimits } from '../limits/limits.js';
import type { Middleware } from '../middleware/middleware.js';
import type { GivenPorts, Ports } from '../ports/ports.js';
import type { Provider } from '../provider/provider.js';
import type { Domain } from '../tools/domain.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { ConfirmHandler, TurnSettings } from '../turn/turn-request.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { Words } from '../words/create-words.js';
import { compactionOf } from './compaction-code.js';
import { hooksOf } from './middleware-code.js';
import type { LoadedLog, SessionLog } from './session-log.js';

/** The options of a session. Only the provider is required. */
export interface SessionOptions {
  /** The adapter to the model. */
  readonly provider: Provider;
  /** The parts of the app that the agent can act on. Default: none, the model gets no tools. */
  readonly domains?: readonly Domain[] | undefined;
  /** Called in order for each tool call. Default: none, every valid call runs. */
  readonly guards?: readonly Guard[] | undefined;
  /**
   * Ways of working that the user chooses from, with `setMode`: each has guards of its own, which are called after `guards`. The first is in force
   * until another one is chosen. Default: none.
   */
  readonly modes?: readonly Mode[] | undefined;
  /**
   * Keeps the approvals that the user wants remembered for `always`. Default, and with `null`: none, `remember: 'always'` is refused.
   */
  readonly grants?: GrantStore | null | undefined;
  /** May change requests, withhold answers, and decide about calls, in list order. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Offers the tools of the domains one after the other, where they are more than the model takes: {@link stagedDiscovery}. Default, and with
   * `null`: the model gets all tools, and a turn with more than it takes rejects `unsupported`.
   */
  readonly discovery?: StagedDiscovery | null | undefined;
  /** Answers confirmations in code. Default, and with `null`: they wait in `pendingConfirmations` for `respond`. */
  readonly confirm?: ConfirmHandler | null | undefined;
  /** The static persona: the first part of the system prompt. Default: none. */
  readonly role?: string | undefined;
  /** Sources of live context. Default: none. */
  readonly context?: readonly ContextSource[] | undefined;
  /**
   * Compacts conversations before they fill the model's context window. Make it with `compaction()`. Default, and with `null`: only `compact` does.
   */
  readonly compaction?: CompactionSetting | null | undefined;
  /** Default: {@link defaultLimits}. */
  readonly limits?: GivenLimits | undefined;
  /**
   * The app's own undo history. Default: `new UndoHistory()`, which runs the closures that tools record. `null` turns undo off: no
   * effect is reverted, also not by a rollback, and reports list each as irreversible.
   */
  readonly history?: UndoProvider | null | undefined;
  /**
   * The words for the user, made with `createWords` of `@banister/session/words`: they stand in the signals of the session, in place of the
   * English ones. The state, operations and the log keep those, beside codes and values. Default: the English ones.
   */
  readonly words?: Words | undefined;
  /**
   * A saved conversation to continue, which the app stored itself: its effects can be taken back. One of unknown origin goes through
   * `importedConversation` of `@banister/session/export` first. Without the option `log`: a page that shows a conversation until its log is open
   * has a session for each. Default: a new one.
   */
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

type Changeable =
  | 'provider'
  | 'domains'
  | 'discovery'
  | 'guards'
  | 'modes'
  | 'grants'
  | 'middleware'
  | 'limits'
  | 'role'
  | 'context'
  | 'confirm'
  | 'compaction';

/**
 * The options that can change between turns. One that is absent or undefined stays as it is; `domains: []`, `guards: []`, `modes: []`,
 * `middleware: []`, `context: []`, `role: ''`, `limits: {}`, `grants: null`, `discovery: null`, `confirm: null` and `compaction: null` remove the setting.
 */
export type SessionChanges = { readonly [Name in Changeable]?: SessionOptions[Name] | undefined };

/** The fields of a provider that a session cannot do without. */
export const providerShape = having({ id: text, stream: func });

const settings = {
  provider: providerShape,
  // `createToolRegistry` checks them.
  domains: optional(list(any)),
  discovery: optional(orNull(having({ code: having({ get: func }) }))),
  guards: optional(list(func)),
  modes: optional(list(having({ id: filled, title: filled, guards: list(func) }))),
  grants: optional(orNull(having({ load: func, put: func, remove: func }))),
  // Their hooks are checked by the code that calls them.
  middleware: optional(list(having({ name: filled }))),
  // `resolveLimits` checks them.
  limits: any,
  role: optional(text),
  context: optional(
    list(
      having({
        id: filled,
        summary: func,
        detail: optional(func),
        domain: optional(filled),
        policy: (value, at) =>
          Object(value) === value
            ? only({ ttlMs: positive })(value, at)
            : oneOf('always', 'onDemand')(value, at),
      }),
    ),
  ),
  confirm: optional(orNull(func)),
  // Made by `compaction`, which checks it.
  compaction: optional(orNull(having({ at: positive, to: positive }))),
} satisfies Record<Changeable, Read>;

const ports = {
  clock: any,
  ids: any,
  random: any,
  scheduler: any,
  validator: any,
  reportError: any,
  journal: optional(having({ write: func })),
} satisfies Record<keyof Ports, Read>;

const options = {
  ...settings,
  history: optional(orNull(having({ begin: func }))),
  words: optional(having({ shown: func })),
  conversation: any,
  restored: optional(having({ records: list(any) })),
  onInterrupted: optional(oneOf('wait', 'resume', 'abandon')),
  id: optional(filled),
  log: optional(having({ claim: func, load: func })),
  ports: optional(only(ports)),
} satisfies Record<keyof SessionOptions, Read>;

const optionsShape = only(options);
const changesShape = only({ ...settings, provider: optional(providerShape) });

/**
 * Checks the options of a session by themselves. Throws `invalid-configuration`, naming the option; `unsupported` for a conversation that a newer
 * release saved.
 */
export function checkOptions(given: SessionOptions): void {
  checked(optionsShape, given, 'The options of a session');
  const { conversation, restored, id, log } = given;
  if ([conversation, restored, log].filter((one) => one !== undefined).length > 1)
    throw refusal(
      'A session continues a conversation, a restored log or its log: one of them. Until the log is open, a page can show the conversation in another session.',
    );
  if ((log === undefined) !== (id === undefined))
    throw refusal('The option log needs an id, and the option id needs the option log.');
  if (log !== undefined && given.ports?.journal !== undefined)
    throw refusal('A session with a log has no port journal.');
  const version: unknown = conversation?.version;
  if (isVersion(version)) assertReadable(version);
}

/** Checks that `configure` got only settings that can change. Throws `invalid-configuration`. */
export function checkChanges(changes: SessionChanges): void {
  checked(changesShape, changes, 'The changes of a session');
}

/** Returns the settings of a turn, of options that were checked. Throws `invalid-configuration`, naming the option. */
export function resolveSettings(given: Pick<SessionOptions, 'provider'> & SessionChanges): TurnSettings {
  const { guards = [], modes = [], middleware = [], confirm, role = '', context = [], limits } = given;
  checkIds('context source', context);
  checkIds('mode', modes);
  return {
    provider: given.provider,
    guards: [...guards],
    modes: [...modes],
    grants: given.grants ?? null,
    confirm: confirm ?? undefined,
    role,
    context: [...context],
    hooks: hooksOf([...middleware]),
    compaction: compactionOf(given.compaction ?? null),
    discovery: given.discovery ?? null,
    limits: resolveLimits(limits),
  };
}

function checkIds(kind: string, named: readonly { readonly id: string }[]): void {
  const twice = repeatedIn(named.map(({ id }) => id));
  if (twice !== undefined) throw refusal(`The ${kind} "${twice}" is registered twice.`);
}

/** The tools that a session has itself, where a source or the discovery of domains needs them. */
const ownTool = /^banister\.(read_context|list_domains|use_domain)$/;

/** Checks that each tool which a guard names is one of the session, or was one. Throws `invalid-configuration`. */
export function checkGuards(guards: readonly Guard[], tools: ToolRegistry): void {
  for (const guard of guards)
    for (const id of guard.tools ?? [])
      if (!tools.kept.has(id) && !ownTool.test(id))
        throw refusal(`The guard ${guard.name} names "${id}", which is no tool of this session.`);
}
