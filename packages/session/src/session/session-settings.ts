import type { ToolRegistry } from '../tools/tool-registry.js';
import type { TurnSettings } from '../turn/turn-request.js';
import {
  checkChanges,
  checkGuards,
  resolveSettings,
  type SessionChanges,
  type SessionOptions,
} from './session-options.js';

/** The settings that the next turn works with: the options of the session and all later changes. */
export class SessionSettings {
  private resolved: TurnSettings;

  /** Throws `invalid-configuration`, naming the offender. */
  constructor(
    private options: SessionOptions,
    private readonly tools: ToolRegistry,
  ) {
    this.resolved = this.resolve(options);
  }

  get current(): TurnSettings {
    return this.resolved;
  }

  /** Throws `invalid-configuration`, and then nothing has changed. */
  change(changes: SessionChanges): void {
    checkChanges(changes);
    const options = { ...this.options, ...changes };
    this.resolved = this.resolve(options);
    this.options = options;
  }

  private resolve(options: SessionOptions): TurnSettings {
    const settings = resolveSettings(options);
    checkGuards(settings.guards, this.tools);
    return settings;
  }
}
