import { AgentSessionError } from '../errors/agent-session-error.js';
import { defined } from '../json/defined.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import { checkUndo, type Revision, type ToolUndo } from '../tools/tool.js';
import type { CallChanges } from '../undo/call-changes.js';
import { EffectStep, succeeded, type StepLimit } from '../undo/effect-step.js';
import type { UndoEntry } from '../undo/undo-provider.js';

/** Collects the effects that one call records with `context.undo` and `context.irreversible`, for one entry of the transaction. */
export class EffectNotes {
  private readonly undos: ToolUndo[] = [];
  private readonly irreversibleEffects: string[] = [];

  undo(entry: ToolUndo): void {
    checkUndo(entry);
    this.undos.push(entry);
  }

  irreversible(description: string): void {
    if (typeof description !== 'string') {
      throw new AgentSessionError('invalid-configuration', 'context.irreversible needs a text.');
    }
    this.irreversibleEffects.push(description);
  }

  get isEmpty(): boolean {
    return this.undos.length === 0 && this.irreversibleEffects.length === 0;
  }

  /** The effects as the tool described them; undefined while it recorded none. */
  get description(): string | undefined {
    const descriptions = [...this.undos.map((undo) => undo.description), ...this.irreversibleEffects];
    return descriptions.length === 0 ? undefined : descriptions.join('; ');
  }

  /** The number of closures that the entry runs. */
  get steps(): number {
    return this.undos.length;
  }

  /** Returns the entry of the call. An effect that was not recorded is named after its tool, and cannot be reverted. */
  entry(toolCallId: string, tool: RegisteredTool, changes: CallChanges, limit: StepLimit): UndoEntry {
    const steps = this.undos.map((undo) => new EffectStep(undo, changes, limit));
    const redoable = this.undos.length > 0 && this.undos.every((undo) => undo.reapply);
    return defined({
      toolCallId,
      toolName: tool.id,
      description: this.description ?? tool.id,
      revert: steps.length > 0 ? (expected: Revision) => revertAll(steps, expected) : undefined,
      reapply: redoable ? (expected: Revision) => reapplyAll(steps, expected) : undefined,
      irreversible: tool.irreversible || this.irreversibleEffects.length > 0 || undefined,
    });
  }
}

/** Reverts all steps, newest first; a failing one does not stop the others. Returns or throws the first failure. */
async function revertAll(steps: readonly EffectStep[], expected: Revision): Promise<void | ToolOutcome> {
  let failure: (() => void | ToolOutcome) | null = null;
  for (const step of steps.toReversed()) {
    try {
      const outcome = await step.run('revert', expected);
      if (!succeeded(outcome)) failure ??= () => outcome;
    } catch (error) {
      failure ??= () => {
        throw error;
      };
    }
  }
  return failure?.();
}

/**
 * Makes the effects of all steps again, oldest first. Where one fails, those before it are reverted: the call is in effect as a
 * whole or not at all.
 */
async function reapplyAll(steps: readonly EffectStep[], expected: Revision): Promise<void | ToolOutcome> {
  for (const [index, step] of steps.entries()) {
    let failure: (() => void | ToolOutcome) | null = null;
    try {
      const outcome = await step.run('reapply', expected);
      if (!succeeded(outcome)) failure = () => outcome;
    } catch (error) {
      failure = () => {
        throw error;
      };
    }
    if (failure === null) continue;
    await revertAll(steps.slice(0, index), expected);
    return failure();
  }
  return undefined;
}
