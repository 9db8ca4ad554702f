import { openConversation } from '../conversation/open-conversation.js';
import { resolvePorts, type Ports } from '../ports/ports.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession, LocalAgentSession } from './agent-session.js';
import { untracked } from '../signals/signals-core.js';
import { command } from './command.js';
import { DomainReports } from './domain-reports.js';
import { openedState } from './opened-state.js';
import { preloadCode } from './preload-code.js';
import { publicSession, showConsent } from './public-session.js';
import { LateCommands } from './late-commands.js';
import { LateFiles } from './late-files.js';
import { LateQueue } from './late-queue.js';
import { openAccess } from './open-access.js';
import { SessionAccess } from './session-access.js';
import { respond as respondTo } from './respond.js';
import { SessionCore } from './session-core.js';
import { SessionJournal } from './session-journal.js';
import { SessionLifetime } from './session-lifetime.js';
import { checkOptions, type SessionOptions } from './session-options.js';
import { SessionSettings } from './session-settings.js';
import { TurnRunner } from './turn-runner.js';

/**
 * Creates a session, and starts to load the code of turns in the background.
 *
 * @throws AgentSessionError `invalid-configuration`, naming the option that is wrong; `unsupported` for a conversation that a newer
 *   release saved
 *
 * @example
 * const session = createAgentSession({ provider: openai({ model, baseURL }), domains: [board] });
 * effect(() => { output.textContent = session.currentText.value; });
 * await session.send('Add a card "Plan" to Todo');
 */
export function createAgentSession(options: SessionOptions): LocalAgentSession {
  checkOptions(options);
  const { conversation, history } = options;
  const ports = resolvePorts(options.ports);
  const { contextWindow: window = null } = options.provider.capabilities ?? {};
  // A new session begins as the fold of its log does.
  const opened = conversation === undefined ? {} : { ...openConversation(conversation), window };
  const access = new SessionAccess();
  const settings = new SessionSettings(options);
  const respond: AgentSession['respond'] = command((...args) =>
    access.pass('respond', args, async () =>
      commands.isInterrupted ? commands.interrupted('respond', ...args) : respondTo({ core, host }, ...args),
    ),
  );
  const journal =
    ports.journal || options.log
      ? new SessionJournal(ports.journal ?? null, ports, access.link, (error) => {
          runner.leave(error);
          queue.leave(error);
        })
      : undefined;
  const core: SessionCore = new SessionCore(
    ports,
    openedState(opened, settings.tools, history),
    respond,
    journal,
    options.words,
  );
  const host = turnHost(core, access, settings, options.id);
  const lifetime: SessionLifetime = new SessionLifetime(core, access, () => [runner, commands]);
  const runner: TurnRunner = new TurnRunner({ core, ports, history, host, settings, lifetime });
  const commands: LateCommands = new LateCommands({
    core,
    ports,
    history,
    host,
    settings,
    lifetime,
    runner,
  });
  const queue = new LateQueue({ core, ports, lifetime, runner });
  const files = new LateFiles({
    core,
    ports,
    limits: () => settings.current.limits,
    hold: (read, run) => commands.reading(read, run),
  });
  const reports = domainReports(core, access, commands);
  reports.follow(settings.tools.domains);
  loadInBackground(settings, ports, journal);
  const state = { access, core, ports, host, respond, settings, lifetime };
  const parts = { ...state, runner, commands, queue, files, reports };
  const session = publicSession(parts);
  openAccess({ access, core, host, lifetime, options, ports, session });
  access.pass('configure', [], () => showConsent(parts)).catch(() => {});
  return session;
}

/** Loads the code of turns. A failure is ignored here: the turn that needs the code fetches it again, or fails. */
function loadInBackground(
  { current, tools }: SessionSettings,
  ports: Ports,
  journal: SessionJournal | undefined,
): void {
  preloadCode(ports, tools.definitions, current.discovery).catch(() => {});
  current.hooks?.(ports.clock).catch(() => {});
  if (current.compaction.isAutomatic) current.compaction.load(ports.clock).catch(() => {});
  Promise.resolve(journal?.load()).catch(() => {});
}

/** Returns the reports of domains. A session that follows another one leaves them to that one. */
function domainReports(core: SessionCore, access: SessionAccess, commands: LateCommands): DomainReports {
  const changed = (domain: string) =>
    access.detour === null ? untracked(() => commands.touch(domain, true)) : undefined;
  return new DomainReports(changed, (error) => core.reportError(error));
}

/** Returns the parts of a session that its turns call. */
function turnHost(
  core: SessionCore,
  access: SessionAccess,
  settings: SessionSettings,
  id: string | undefined,
): TurnHost {
  return {
    tools: () => settings.tools,
    modes: () => settings.current.modes,
    id: id ?? null,
    // A store of grants may answer when another session owns the log.
    emit: (fact) => access.detour ?? core.emitSession(fact),
    failedWith: (data, error) => core.errors.remember(data, error),
    owned: () => core.journal?.owned(),
    isLeft: false,
    runningCalls: 0,
    shared: null,
    consent: null,
    extensions: null,
    review: null,
  };
}
