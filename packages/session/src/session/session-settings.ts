import { defined } from '../json/defined.js';
import { createToolRegistry, type ToolRegistry } from '../tools/tool-registry.js';
import type { TurnSettings } from '../turn/turn-request.js';
import {
  checkChanges,
  checkGuards,
  resolveSettings,
  type SessionChanges,
  type SessionOptions,
} from './session-options.js';

/** The settings of the next turn: the options of the session and all later changes. */
export class SessionSettings {
  private resolved: TurnSettings;
  private registry: ToolRegistry;

  /** Throws `invalid-configuration` with the name of the wrong option. */
  constructor(private options: SessionOptions) {
    this.registry = createToolRegistry(options.domains ?? []);
    this.resolved = resolve(options, this.registry);
  }

  get current(): TurnSettings {
    return this.resolved;
  }

  /** The tools of the next turn. */
  get tools(): ToolRegistry {
    return this.registry;
  }

  /** Changes settings, and returns their names. If it throws `invalid-configuration`, no setting has changed. */
  change(changes: SessionChanges): readonly string[] {
    checkChanges(changes);
    const given = defined(changes);
    const options = { ...this.options, ...given };
    const registry = given.domains ? createToolRegistry(given.domains, this.registry) : this.registry;
    this.resolved = resolve(options, registry);
    this.registry = registry;
    this.options = options;
    return Object.keys(given);
  }

  /** Throws the errors with which these changes would be refused, one after the other. Nothing changes. */
  check(...all: readonly SessionChanges[]): void {
    const copy = new SessionSettings(this.options);
    for (const changes of all) copy.change(changes);
  }
}

function resolve(options: SessionOptions, tools: ToolRegistry): TurnSettings {
  const settings = resolveSettings(options);
  checkGuards([...settings.guards, ...settings.modes.flatMap(({ guards }) => guards)], tools);
  return settings;
}
