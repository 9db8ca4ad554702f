import { openConversation } from '../conversation/saved-conversation.js';
import { resolvePorts } from '../ports/ports.js';
import { initialState } from '../state/session-state.js';
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.js';
import type { TurnHost } from '../turn/turn-request.js';
import { readRevisions } from '../undo/revisions.js';
import type { AgentSession } from './agent-session.js';
import { command } from './command.js';
import { publicSession } from './public-session.js';
import { openAccess } from './open-access.js';
import { SessionAccess } from './session-access.js';
import { SessionCore } from './session-core.js';
import { SessionJournal } from './session-journal.js';
import { SessionLifetime } from './session-lifetime.js';
import { checkOptions, type SessionOptions } from './session-options.js';
import { SessionSettings } from './session-settings.js';
import { preloadCode } from './turn-code.js';
import { TurnRunner } from './turn-runner.js';
import { UndoCommands } from './undo-commands.js';

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
export function createAgentSession(options: SessionOptions): AgentSession {
  checkOptions(options);
  const { conversation, history, domains = [] } = options;
  const ports = resolvePorts(options.ports);
  const tools = createToolRegistry(domains);
  const opened = conversation === undefined ? {} : openConversation(conversation);
  const access = new SessionAccess();
  const settings = new SessionSettings(options, tools);
  const respond: AgentSession['respond'] = command((...args) =>
    access.pass('respond', args, async () => host.desk?.respond(...args) ?? 'already-settled'),
  );
  const journal =
    ports.journal && new SessionJournal(ports.journal, ports, access.link, (error) => runner.fence(error));
  const core: SessionCore = new SessionCore(ports, initialState(opened), respond, journal);
  const host = turnHost(core, tools);
  const lifetime: SessionLifetime = new SessionLifetime(core, access, () => [runner, undo]);
  const runner: TurnRunner = new TurnRunner({ core, ports, tools, history, host, settings, lifetime });
  const undo = new UndoCommands(
    core,
    () => host.shared?.undoStack,
    () => lifetime.assertFree(),
  );
  // In the background. A failure is ignored here: the turn that needs the code fetches it again, or fails.
  preloadCode(ports, tools.definitions).catch(() => {});
  Promise.resolve(journal?.load()).catch(() => {});
  openAccess({ access, core, options, ports, tools });
  return publicSession({ access, core, respond, settings, lifetime, runner, undo });
}

/** Returns the parts of a session that its turns call. */
function turnHost(core: SessionCore, tools: ToolRegistry): TurnHost {
  return {
    readRevisions: () => readRevisions(tools.domains, (error) => core.reportError(error)),
    lateToolSettled: (fact) => core.emitSession(fact),
    effectMoved: (fact) => core.emitSession(fact),
    failedWith: (data, error) => core.errors.remember(data, error),
    shared: null,
    desk: null,
  };
}
