import { defined } from '@banister/provider/internal/json/defined';
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.js';
import type { NextSettings } from '../turn/turn-parts.js';
import {
  checkAgents,
  checkAtOnce,
  checkChanges,
  checkGuards,
  resolveSettings,
  type SessionChanges,
  type SessionOptions,
} from './session-options.js';

/** Settings that fit together: a change replaces all of them. */
interface Settings {
  readonly options: SessionOptions;
  readonly current: NextSettings;
  readonly tools: ToolRegistry;
}

/** The settings of the next turn: the options of the session and all later changes. */
export class SessionSettings {
  private now: Settings;

  /** Throws `invalid-configuration` with the name of the wrong option. */
  constructor(options: SessionOptions) {
    this.now = settingsOf(options, createToolRegistry(options.domains ?? []));
  }

  get current(): NextSettings {
    return this.now.current;
  }

  /** The tools of the next turn. */
  get tools(): ToolRegistry {
    return this.now.tools;
  }

  /** Changes settings, and returns their names. If it throws `invalid-configuration`, no setting has changed. */
  change(changes: SessionChanges): readonly string[] {
    checkChanges(changes);
    const given = defined(changes);
    const { options, tools } = this.now;
    const changed = given.domains ? createToolRegistry(given.domains, tools) : tools;
    this.now = settingsOf({ ...options, ...given }, changed);
    return Object.keys(given);
  }

  /** Throws the errors with which these changes would be refused, one after the other. Nothing changes. */
  check(...all: readonly SessionChanges[]): void {
    const copy = new SessionSettings(this.now.options);
    for (const changes of all) copy.change(changes);
  }
}

function settingsOf(options: SessionOptions, tools: ToolRegistry): Settings {
  const current = resolveSettings(options);
  const { guards, modes, agents, discovery } = current;
  if (discovery === null) checkAtOnce(tools);
  checkGuards([guards, ...[...modes, ...agents].map((one) => one.guards ?? [])].flat(), tools);
  checkAgents(agents, tools);
  return { options, current, tools };
}
