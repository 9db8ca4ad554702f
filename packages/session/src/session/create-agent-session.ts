import { openConversation } from '../conversation/open-conversation.js';
import { resolvePorts } from '../ports/ports.js';
import { createToolRegistry } from '../tools/tool-registry.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession, LocalAgentSession } from './agent-session.js';
import { command } from './command.js';
import { openedState } from './opened-state.js';
import { preloadCode } from './preload-code.js';
import { publicSession } from './public-session.js';
import { LateCommands } from './late-commands.js';
import { LateQueue } from './late-queue.js';
import { openAccess } from './open-access.js';
import { SessionAccess } from './session-access.js';
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
  const { conversation, history, domains = [] } = options;
  const ports = resolvePorts(options.ports);
  const tools = createToolRegistry(domains);
  const opened = conversation === undefined ? {} : openConversation(conversation);
  const access = new SessionAccess();
  const settings = new SessionSettings(options, tools);
  const respond: AgentSession['respond'] = command((...args) =>
    access.pass('respond', args, async () =>
      commands.isInterrupted ? commands.respond(...args) : (host.desk?.respond(...args) ?? 'already-settled'),
    ),
  );
  const journal =
    ports.journal || options.log
      ? new SessionJournal(ports.journal ?? null, ports, access.link, (error) => {
          runner.leave(error);
          queue.leave(error);
        })
      : undefined;
  const core: SessionCore = new SessionCore(ports, openedState(opened, tools, history), respond, journal);
  const host = turnHost(core);
  const lifetime: SessionLifetime = new SessionLifetime(core, access, () => [runner, commands]);
  const runner: TurnRunner = new TurnRunner({ core, ports, tools, history, host, settings, lifetime });
  const commands: LateCommands = new LateCommands({
    core,
    ports,
    tools,
    history,
    host,
    settings,
    lifetime,
    runner,
  });
  const queue = new LateQueue({ core, ports, settings, lifetime, runner });
  // In the background. A failure is ignored here: the turn that needs the code fetches it again, or fails.
  preloadCode(ports, tools.definitions).catch(() => {});
  Promise.resolve(journal?.load()).catch(() => {});
  const parts = { access, core, host, respond, settings, lifetime, runner, commands, queue };
  const session = publicSession(parts);
  openAccess({ access, core, host, lifetime, options, ports, tools, session });
  return session;
}

/** Returns the parts of a session that its turns call. */
function turnHost(core: SessionCore): TurnHost {
  return {
    lateToolSettled: (fact) => core.emitSession(fact),
    effectMoved: (fact) => core.emitSession(fact),
    failedWith: (data, error) => core.errors.remember(data, error),
    owned: () => core.journal?.owned(),
    isLeft: false,
    runningCalls: 0,
    shared: null,
    desk: null,
  };
}
