import type { JsonValue } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { sameJson } from '@banister/provider/internal/json/same-json';
import type { EffectStepData } from '../conversation/turn-undo.js';
import { warn } from '../ports/warn.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import { checkPaths, checkUndo, hasData } from '../tools/check-undo.js';
import type { EffectData, EffectPaths, EffectValues, Tool, ToolUndo } from '../tools/tool.js';
import { codeOfClosures, codeOfData, type StepCode } from '../undo/step-code.js';

/** One effect of a call. */
export interface NotedEffect {
  readonly description: string;
  readonly data?: JsonValue;
  readonly paths?: readonly string[];
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** The code that takes the effect back; null if it cannot be taken back. */
  readonly code: StepCode | null;
  /** Whether the log has the effect. It does not if the turn had ended when the effect was recorded. */
  readonly isLogged: boolean;
  /** True for an effect from an earlier run of the call that the current run has not recorded again. */
  readonly isEarlier?: boolean;
}

/** The tools about whose missing effects a warning was logged. */
const warned = new WeakSet<Tool>();

/** Collects the effects that one call records with `context.undo` and `context.irreversible`. */
export class EffectNotes {
  /** The effects in the order in which they were recorded. */
  readonly effects: NotedEffect[] = [];
  private isDescribed = false;

  /** @param log emits the operation about an effect, with its number; returns false if the turn has ended */
  constructor(
    private readonly callId: string,
    private readonly tool: RegisteredTool,
    private readonly log: (effect: Omit<NotedEffect, 'isLogged'>, step: number) => boolean,
  ) {}

  /** For a call that runs again: starts with the effects that its earlier run recorded. */
  begin(earlier: readonly EffectStepData[]): void {
    for (const { description, data, irreversible, state } of earlier) {
      const { undo } = this.tool.tool;
      const canUndo = !irreversible && state !== 'lost' && undo !== undefined && data !== undefined;
      const code = canUndo ? codeOfData(undo, this.callId, data) : null;
      this.effects.push(defined({ description, data, code, isLogged: true, isEarlier: true }));
    }
    this.isDescribed = earlier.length > 0;
  }

  /** Records an effect. Returns true if the log has it. */
  undo(entry: ToolUndo | EffectData): boolean {
    checkUndo(entry);
    const { description } = entry;
    const shown = { paths: pathsOf(entry), before: shownValue(entry.before), after: shownValue(entry.after) };
    if (!hasData(entry)) return this.add(defined({ description, ...shown, code: codeOfClosures(entry) }));
    const data = this.dataOf(entry);
    const code = codeOfData(this.undoOfTool, this.callId, data);
    return this.add(defined({ description, data, ...shown, code }));
  }

  irreversible(description: string, options: EffectPaths = {}): boolean {
    if (typeof description !== 'string')
      throw new AgentSessionError('invalid-configuration', 'context.irreversible needs a text.');
    checkPaths(options, 'context.irreversible');
    return this.add(defined({ description, paths: pathsOf(options), code: null }));
  }

  get isEmpty(): boolean {
    return this.effects.length === 0;
  }

  /** The tool's descriptions of its effects; undefined if the tool recorded none. */
  get description(): string | undefined {
    return this.isDescribed ? this.effects.map(({ description }) => description).join('; ') : undefined;
  }

  /** Returns true if the tool called `context.irreversible`. */
  get hasIrreversible(): boolean {
    return this.isDescribed && this.effects.some(({ code }) => code === null);
  }

  /** If a mutating call recorded no effect, records one: it is named after its tool, and cannot be taken back. */
  addUndescribed(): void {
    if (!this.isEmpty) return;
    const { id, irreversible, tool, source } = this.tool;
    if (!irreversible && !tool.undo && !warned.has(source)) {
      warned.add(source);
      warn(
        `${id} recorded no effect, so its calls cannot be undone. Call context.undo, wrap the tool by undoable of @banister/stores, or declare it irreversible or readOnly.`,
      );
    }
    this.add({ description: this.tool.tool.title ?? this.tool.id, code: null });
    this.isDescribed = false;
  }

  private add(effect: Omit<NotedEffect, 'isLogged'>): boolean {
    // The number of an effect is its position in the list. The effect is added before `log`, because a subscriber to the operation may
    // already use it.
    this.isDescribed = true;
    const earlier = this.effects.findIndex(
      (one) => one.isEarlier && one.description === effect.description && sameJson(one.data, effect.data),
    );
    const index = earlier < 0 ? this.effects.length : earlier;
    this.effects[index] = { ...effect, isLogged: true };
    const isLogged = this.log(effect, index + 1);
    if (!isLogged) this.effects[index] = { ...effect, isLogged };
    return isLogged;
  }

  private get undoOfTool() {
    const { id, tool } = this.tool;
    if (tool.undo) return tool.undo;
    throw new AgentSessionError(
      'invalid-configuration',
      `context.undo got data, but the tool "${id}" has no undo: { revert } that could use it.`,
    );
  }

  private dataOf({ data }: EffectData): JsonValue {
    try {
      return deepFreeze(jsonCopy(data));
    } catch (error) {
      throw new AgentSessionError(
        'invalid-configuration',
        sentence(
          `context.undo of the tool "${this.tool.id}" needs data that JSON can hold: ${messageOf(error)}`,
        ),
        { cause: error },
      );
    }
  }
}

/** Returns a frozen copy of the paths of an effect; undefined if the effect names none. */
function pathsOf({ paths }: EffectPaths): readonly string[] | undefined {
  return paths?.length ? Object.freeze([...paths]) : undefined;
}

/** The longest value that a review shows, in characters of its JSON. */
const MAX_SHOWN = 10_000;

/** Returns a frozen copy of a value of an effect; undefined if there is none, if it is too long, or if it is not JSON. */
function shownValue(value: EffectValues['before']): JsonValue | undefined {
  if (value === undefined) return undefined;
  try {
    const copy = jsonCopy(value);
    return JSON.stringify(copy).length > MAX_SHOWN ? undefined : deepFreeze(copy);
  } catch {
    return undefined;
  }
}
