import { defined } from '../json/defined.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { TurnSettings } from '../turn/turn-request.js';
import {
  checkChanges,
  checkGuards,
  resolveSettings,
  type SessionChanges,
  type SessionOptions,
} from './session-options.js';

/** The settings of the next turn: the options of the session with all later changes. */
export class SessionSettings {
  private resolved: TurnSettings;

  /** Throws `invalid-configuration`, naming the option. */
  constructor(
    private options: SessionOptions,
    private readonly tools: ToolRegistry,
  ) {
    this.resolved = this.resolve(options);
  }

  get current(): TurnSettings {
    return this.resolved;
  }

  /** Changes settings, and returns their names. Throws `invalid-configuration`, and then changes none. */
  change(changes: SessionChanges): readonly string[] {
    checkChanges(changes);
    const given = defined(changes);
    const options = { ...this.options, ...given };
    this.resolved = this.resolve(options);
    this.options = options;
    return Object.keys(given);
  }

  private resolve(options: SessionOptions): TurnSettings {
    const settings = resolveSettings(options);
    checkGuards(settings.guards, this.tools);
    return settings;
  }
}
