import type { Provider } from '@banister/provider';
import { checked, refusal } from '@banister/provider/internal/errors/checked';
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
} from '@banister/provider/internal/json/shape';
import type { Agent } from '../agents/agent.js';
import type { CompactionSetting } from '../compaction/compaction.js';
import type { ContextSource } from '../context/context-source.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';
import { isReadable } from '../conversation/saved-version.js';
import type { StagedDiscovery } from '../discovery/staged-discovery.js';
import type { GrantStore } from '../guards/grant-store.js';
import type { Guard } from '../guards/guard.js';
import type { Mode } from '../guards/mode.js';
import { resolveLimits, type GivenLimits } from '../limits/limits.js';
import type { Middleware } from '../middleware/middleware.js';
import type { GivenPorts, Ports } from '../ports/ports.js';
import { identifier, type Domain } from '../tools/domain.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { NextSettings } from '../turn/turn-parts.js';
import type { ConfirmHandler } from '../turn/turn-request.js';
import type { UndoProvider } from '../undo/undo-provider.js';
import type { Words } from '../words/create-words.js';
import { compactionOf } from '../compaction/compaction-code.js';
import { hooksOf } from '../middleware/middleware-code.js';
import type { LoadedLog, SessionLog } from '../log/session-log.js';

/** The options of a session. Only the provider is required. */
export interface SessionOptions {
  /** The adapter to the model. */
  readonly provider: Provider;
  /** The parts of the app that the agent can act on. Default: none, the model gets no tools. */
  readonly domains?: readonly Domain[] | undefined;
  /** Called in order for each tool call. Default: none, so every valid call runs. */
  readonly guards?: readonly Guard[] | undefined;
  /**
   * Ways of working among which the user chooses with `setMode`. Each mode has guards of its own, which are called after `guards`. The
   * first mode is in force until another mode is chosen. Default: none.
   */
  readonly modes?: readonly Mode[] | undefined;
  /**
   * Stores the approvals that the user wants remembered for `always`. Default, and with `null`: none, so `remember: 'always'` is refused.
   */
  readonly grants?: GrantStore | null | undefined;
  /** May change requests, withhold answers, and decide about calls. Called in list order. Default: none. */
  readonly middleware?: readonly Middleware[] | undefined;
  /**
   * Offers the tools of the domains in stages, if there are more than the model accepts: {@link stagedDiscovery}. Default, and with `null`:
   * the model gets all tools, and a turn with more tools than it accepts rejects `unsupported`.
   */
  readonly discovery?: StagedDiscovery | null | undefined;
  /** The agents that calls of tools may run, see {@link ToolContext.run}. Default: none. */
  readonly agents?: readonly Agent[] | undefined;
  /** Answers confirmations in code. Default, and with `null`: confirmations wait in `pendingConfirmations` for `respond`. */
  readonly confirm?: ConfirmHandler | null | undefined;
  /** The static persona: the first part of the system prompt. Default: none. */
  readonly role?: string | undefined;
  /** Sources of live context. Default: none. */
  readonly context?: readonly ContextSource[] | undefined;
  /**
   * Compacts conversations before they fill the model's context window. Create it with `compaction()`. Default, and with `null`:
   * conversations are compacted only by `compact`.
   */
  readonly compaction?: CompactionSetting | null | undefined;
  /** Default: {@link defaultLimits}. */
  readonly limits?: GivenLimits | undefined;
  /**
   * The app's own undo history. Default: `new UndoHistory()`, which runs the closures that tools record. `null` turns undo off: no effect
   * is reverted, not even by a rollback, and reports list every effect as irreversible.
   */
  readonly history?: UndoProvider | null | undefined;
  /**
   * The words for the user, made with `createWords` of `@banister/session/words`. They appear in the signals of the session instead of the
   * English words. The state, the operations and the log keep the English words, together with codes and values. Default: the English
   * words.
   */
  readonly words?: Words | undefined;
  /**
   * A saved conversation to continue, which the app stored itself: its effects can be taken back. Pass a conversation of unknown origin
   * through `importedConversation` of `@banister/session/export` first. Not allowed with the option `log`: a page that shows a conversation
   * until its log is open needs a second session. Default: a new conversation.
   */
  readonly conversation?: SavedConversation | undefined;
  /**
   * A log to continue, which the app has loaded: a snapshot and the records after it, or all records. The session exists at once, and is
   * empty; after it has read the log, it emits `ownerChanged`, and `link.open` is true. Until then `send` shows a turn that starts, and
   * commands wait. If the log is damaged, or a newer release wrote to it, the session shows the part that can be read: it is `read-only`,
   * and its commands reject `storage` or `unsupported`. The session keeps the log and freezes it. Not allowed with the option
   * `conversation`.
   *
   * @example
   * const restored = await log.load('chat-42');
   * const session = createAgentSession({ provider, domains, restored });
   */
  readonly restored?: Pick<LoadedLog, 'snapshot' | 'records'> | undefined;
  /**
   * What happens to a turn whose model fails, after all retries and fallbacks, with an error after which the same request may succeed later:
   * `network`, `overloaded`, `quota`, `rate-limit`, `server` or `interrupted`. Default `roll-back`.
   *
   * `roll-back`: the turn fails, and its effects are taken back.
   *
   * `wait`: the promise of the turn rejects with the error, and the turn stops as it stands: it is `interrupted`, its effects stay, and
   * `interrupted.error` has the error. `resume` asks the model again, with the settings of then, for example another provider. `abandon` and
   * `cancel` take the effects back. Until then commands that start a turn or move the head reject `interrupted`, and the queue is paused. If
   * a tool call is still running when the model fails, the turn is rolled back.
   *
   * @example
   * const session = createAgentSession({ provider, domains, onModelFailure: 'wait' });
   */
  readonly onModelFailure?: 'roll-back' | 'wait' | undefined;
  /** The id of the session in its log. Required with `log`, and allowed only with it. */
  readonly id?: string | undefined;
  /**
   * The log in which the session is stored. The session exists at once, and is empty; it reads its log as with `restored`. It writes every
   * operation, and holds the lease of the log until it is disposed. If another session holds the lease, this session follows it:
   * `link.role` is `follower`, the state is the state of the log, and the other session carries out the commands. This session takes over
   * when the other session is disposed, or does not renew its lease for the `leaseMs` of the log, by default 5 seconds. If the log has no
   * channel, a follower is `read-only`.
   *
   * A log that cannot be opened within 5 seconds is not used: the session is empty, in memory, and `link.saved` is false; with the option
   * `whenUnsaved: 'stop'` the session is `read-only` until the log can be opened. Not allowed with the options `conversation` and `restored`,
   * and the port `journal`.
   *
   * @example
   * const session = createAgentSession({ provider, domains, id: 'chat-42', log });
   */
  readonly log?: SessionLog | undefined;
  /**
   * What happens to a turn, an undo or a redo that the last owner of the log did not end. `wait`: it waits for `resume` or `abandon`.
   * `resume`: the session goes on with it when it opens, but only once for a turn at the same point; the next time it waits. `abandon`: the
   * session takes it back. Default `wait`.
   */
  readonly onInterrupted?: 'wait' | 'resume' | 'abandon' | undefined;
  /**
   * What a session does while its log, or the port `journal`, refuses writes. Default `continue`. Has no effect without a log and a journal.
   *
   * `continue`: the turn that meets the first refused write fails with `storage`, and its effects are taken back. Later turns run without
   * their records, while `link.saved` is false. This is right for a page, whose user sees that the chat is not saved.
   *
   * `stop`: nothing acts without its record. A request to the model, a call that changes something, a commit, an undo and a rollback wait,
   * while the write is made again every second. If a write succeeds within 30 seconds, the turn goes on. Otherwise the session stops the turn:
   * the promise of the turn rejects `storage`, running tools are aborted, and no effect is taken back. Until a write succeeds, commands that
   * act or write reject `storage` with `retry: 'now'`, and everything can be read. When a write succeeds, commands are carried out again, and
   * the turn is `interrupted` as after a reload: `onInterrupted` decides about the turn, and a turn that was cancelled is taken back. If the
   * log cannot be opened, the session is `read-only` until the log can be opened. This is right for a server, where another process may take
   * the log over.
   *
   * @example
   * const session = createAgentSession({ provider, domains, id: 'chat-42', log, whenUnsaved: 'stop', onInterrupted: 'resume' });
   */
  readonly whenUnsaved?: 'continue' | 'stop' | undefined;
  /** Time, ids, frames and other functions of the platform, for tests and special hosts. */
  readonly ports?: GivenPorts | undefined;
}

type Changeable =
  | 'provider'
  | 'domains'
  | 'discovery'
  | 'agents'
  | 'guards'
  | 'modes'
  | 'grants'
  | 'middleware'
  | 'limits'
  | 'role'
  | 'context'
  | 'confirm'
  | 'compaction'
  | 'onModelFailure';

/**
 * The options that can change between turns. An option that is absent or undefined stays as it is. `domains: []`, `guards: []`, `modes:
 * []`, `middleware: []`, `context: []`, `role: ''`, `limits: {}`, `grants: null`, `discovery: null`, `confirm: null` and `compaction: null`
 * remove the setting.
 */
export type SessionChanges = { readonly [Name in Changeable]?: SessionOptions[Name] | undefined };

/** The fields of a provider that a session needs. */
export const providerShape = having({ id: text, stream: func });

const settings = {
  provider: providerShape,
  // `createToolRegistry` checks the domains.
  domains: optional(list(any)),
  discovery: optional(orNull(having({ code: having({ get: func }) }))),
  // `defineAgent` checks the other fields.
  agents: optional(list(having({ id: identifier, role: text }))),
  guards: optional(list(func)),
  modes: optional(list(having({ id: filled, title: filled, guards: list(func) }))),
  grants: optional(orNull(having({ load: func, put: func, remove: func }))),
  // The code that calls the hooks checks them.
  middleware: optional(list(having({ name: filled }))),
  // `resolveLimits` checks the limits.
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
  // `compaction`, which creates the value, has checked it.
  compaction: optional(orNull(having({ at: positive, to: positive }))),
  onModelFailure: optional(oneOf('roll-back', 'wait')),
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
  whenUnsaved: optional(oneOf('continue', 'stop')),
  id: optional(filled),
  log: optional(having({ claim: func, load: func })),
  ports: optional(only(ports)),
} satisfies Record<keyof SessionOptions, Read>;

const optionsShape = only(options);
const changesShape = only({ ...settings, provider: optional(providerShape) });

/**
 * Checks each option of a session alone. Throws `invalid-configuration` with the name of the option, and `unsupported` for a conversation
 * that a newer release saved.
 */
export function checkOptions(given: SessionOptions): void {
  checked(optionsShape, given, 'The options of a session');
  const { conversation, restored, id, log } = given;
  if ([conversation, restored, log].filter((one) => one !== undefined).length > 1)
    throw refusal(
      'Give only one of the options conversation, restored and log. Until the log is open, a page can show the conversation in another session.',
    );
  if ((log === undefined) !== (id === undefined))
    throw refusal('The option log needs an id, and the option id needs the option log.');
  if (log !== undefined && given.ports?.journal !== undefined)
    throw refusal('A session with a log has no port journal.');
  isReadable(conversation?.version);
}

/** Checks that `configure` received only settings that can change. Throws `invalid-configuration`. */
export function checkChanges(changes: SessionChanges): void {
  checked(changesShape, changes, 'The changes of a session');
}

/** Returns the settings of a turn, from checked options. Throws `invalid-configuration` with the name of the option. */
export function resolveSettings(given: Pick<SessionOptions, 'provider'> & SessionChanges): NextSettings {
  const { guards = [], modes = [], middleware = [], confirm, role = '', context = [], limits } = given;
  checkIds('context source', context);
  checkIds('mode', modes);
  return {
    provider: given.provider,
    guards: [...guards],
    agentGuards: [],
    modes: [...modes],
    grants: given.grants ?? null,
    confirm: confirm ?? undefined,
    role,
    lastLine: '',
    context: [...context],
    hooks: hooksOf([...middleware]),
    compaction: compactionOf(given.compaction ?? null),
    discovery: given.discovery ?? null,
    agents: given.agents ?? [],
    limits: resolveLimits(limits),
    waitsForModel: given.onModelFailure === 'wait',
  };
}

function checkIds(kind: string, named: readonly { readonly id: string }[]): void {
  const twice = repeatedIn(named.map(({ id }) => id));
  if (twice !== undefined) throw refusal(`The ${kind} "${twice}" is registered twice.`);
}

/** The tools of the session itself, which context sources and the discovery of domains need. */
const ownTool = /^banister\.(read_context|list_domains|use_domain)$/;

/** Checks that each tool that a guard names is, or was, a tool of the session. Throws `invalid-configuration`. */
export function checkGuards(guards: readonly Guard[], tools: ToolRegistry): void {
  for (const guard of guards)
    for (const id of guard.tools ?? [])
      if (!tools.kept.has(id) && !ownTool.test(id))
        throw refusal(`The guard ${guard.name} names the tool "${id}", which does not exist.`);
}

/** Checks that a session without staged discovery has no domain that needs it. Throws `invalid-configuration`. */
export function checkAtOnce({ domains }: Pick<ToolRegistry, 'domains'>): void {
  const wrong = domains.find(({ staged, instructions }) => staged || instructions);
  if (wrong) throw refusal(`The domain "${wrong.id}" needs the option discovery, a stagedDiscovery().`);
}

/** Checks that each domain and tool that an agent names is, or was, a part of the session. Throws `invalid-configuration`. */
export function checkAgents(agents: readonly Agent[], { domains, removed, kept }: ToolRegistry): void {
  checkIds('agent', agents);
  const ids = [...domains, ...removed].map(({ id }) => id);
  for (const { id, tools = [] } of agents) {
    const twice = repeatedIn(tools);
    const wrong = twice ?? tools.find((name) => !kept.has(name) && !ids.includes(name));
    const why = twice === undefined ? ', which does not exist' : ' twice';
    if (wrong !== undefined) throw refusal(`The agent "${id}" names "${wrong}"${why}.`);
  }
}
