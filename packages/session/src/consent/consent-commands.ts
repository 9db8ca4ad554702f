import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { changeGrants, loadGrants } from './stored-grants.js';
import { showGrants } from './own-grants.js';
import { modeIn } from '../guards/mode.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { Ports } from '../ports/ports.js';
import type { SessionCore } from '../session/session-core.js';
import type { SessionSettings } from '../session/session-settings.js';

/** The parts of a session that modes and grants need. */
interface ConsentParts {
  readonly core: SessionCore;
  readonly host: TurnHost;
  readonly ports: Ports;
  readonly settings: SessionSettings;
}

/** Puts a mode in force, see `AgentSession.setMode`. */
export async function setMode(parts: ConsentParts, id: string): Promise<void> {
  const { core, host } = parts;
  if (!host.modes().some((mode) => mode.id === id))
    throw new AgentSessionError('invalid-input', `There is no mode "${String(id)}".`);
  if (core.current.mode === id) return;
  core.emitSession({ type: 'modeChanged', mode: id });
  await host.desk.modeChanged();
  await core.journal?.barrier();
}

/** Ends a grant, see `AgentSession.revoke`. */
export async function revoke(parts: ConsentParts, id: string): Promise<void> {
  const { core, host, ports, settings } = parts;
  const { grants: store } = settings.current;
  const grant = core.current.grants.find((one) => one.id === id);
  if (grant === undefined) throw new AgentSessionError('invalid-input', `There is no grant "${String(id)}".`);
  if (grant.remember === 'always' && store !== null) {
    try {
      await changeGrants(store, ports.clock, () => store.remove(id));
    } catch (error) {
      throw toSessionError(error, 'storage', 'The permission stays.');
    }
  }
  host.emit({ type: 'grantsChanged', grants: core.current.grants.filter((one) => one.id !== id) });
  await core.journal?.barrier();
}

/** For each host, the function that ends the subscription to the grant store. */
const leaves = new WeakMap<TurnHost, () => void>();

/**
 * Makes the state show the mode and the grants in force: a mode that the session has, and the grants of the session and of its store. After
 * each change from elsewhere, the list of the store is read again, until the session has another store or is disposed.
 */
export async function showConsent({ core, host, ports, settings }: ConsentParts): Promise<void> {
  // Waits for one microtask, so that code which subscribes right after creating the session gets all operations.
  await null;
  const mode = modeIn(host.modes(), core.current.mode)?.id ?? null;
  if (mode !== core.current.mode) {
    host.emit({ type: 'modeChanged', mode });
    void host.desk.modeChanged();
  }
  const { grants: store } = settings.current;
  let newest: unknown;
  // A list is not shown if a newer list was requested since, or if the session has another store now.
  const show = async () => {
    const loading = (newest = loadGrants(store, ports));
    const always = await loading;
    if (newest === loading && settings.current.grants === store)
      showGrants({ current: () => core.current, host, ports }, always);
  };
  const left = leaves.get(host);
  try {
    const leave = store?.subscribe?.(() => void show());
    const disposal = leave && core.stream.operations$.subscribe({ complete: leave });
    leaves.set(host, () => {
      disposal?.unsubscribe();
      leave?.();
    });
    left?.();
  } catch (error) {
    core.reportError(error);
  }
  if (store ?? core.current.grants[0]) await show();
}
