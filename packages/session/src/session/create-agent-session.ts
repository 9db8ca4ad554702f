// These are the first imports, because in another order the bundler divides the first chunk of a page.
import { checked } from '@banister/provider/internal/errors/checked';
import { text } from '@banister/provider/internal/json/shape';
import { SessionHandle, type LocalLine } from './session-handle.js';
import { sessionObject } from './session-object.js';
import { resolvePorts, type Ports } from '../ports/ports.js';
import { untracked } from '../signals/signals-core.js';
import type { LocalAgentSession } from './agent-session.js';
import { commandsThat, type PassedCommand } from './command-table.js';
import { isNew, LateLine } from './late-line.js';
import { preloadCode } from './preload-code.js';
import { checkOptions, type SessionOptions } from './session-options.js';
import { SessionSettings } from './session-settings.js';

/**
 * Creates a session, and starts to load its code in the background. Calls wait for the code, in their order.
 *
 * @throws AgentSessionError `invalid-configuration`, with the name of the wrong option; `unsupported` for a conversation that a newer
 *   release saved
 *
 * @example
 * const session = createAgentSession({ provider: openai({ model, baseURL }), domains: [board] });
 * effect(() => { output.textContent = session.currentText.value; });
 * await session.send('Add a card "Plan" to Todo');
 */
export function createAgentSession(options: SessionOptions): LocalAgentSession {
  checkOptions(options);
  const ports = resolvePorts(options.ports);
  const settings = new SessionSettings(options);
  const link = { role: 'writer', open: isNew(options), saved: true } as const;
  const handle = new SessionHandle<LocalLine>(ports, link, options.words);
  const line = new LateLine(handle, options, settings, () => session);
  handle.line = line;
  const passed = commandsThat<PassedCommand>(({ own }) => !own);
  const session: LocalAgentSession = sessionObject<LocalAgentSession, PassedCommand>(handle, passed, {
    turn$: (input, options) => handle.line.turn$(input, options),
    configure: (changes) => untracked(() => handle.line.configure(changes)),
    touch: (domain) => untracked(() => handle.line.touch(checked(text, domain, 'The domain of touch'))),
  });
  line.open();
  loadAhead(ports, settings);
  return session;
}

/** Loads the code of the first turn in the background. A failure is ignored here: the call that needs the code loads it again, or fails. */
function loadAhead(ports: Ports, { current, tools }: SessionSettings): void {
  const { hooks, compaction } = current;
  preloadCode(ports, tools.definitions, current).catch(() => {});
  hooks?.(ports.clock).catch(() => {});
  if (compaction.isAutomatic) compaction.load(ports.clock).catch(() => {});
}
