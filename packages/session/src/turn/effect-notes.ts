import { AgentSessionError } from '../errors/agent-session-error.js';
import { checkUndo, type ToolUndo } from '../tools/tool.js';
import { isToolOutcome, type ToolOutcome } from '../tools/tool-outcome.js';
import type { Revision } from '../tools/tool.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import type { UndoEntry } from '../undo/undo-provider.js';

/** What one call told about its effects, as one entry of the turn's transaction. */
export class EffectNotes {
  private readonly undos: ToolUndo[] = [];
  private readonly lasting: string[] = [];

  undo(entry: ToolUndo): void {
    checkUndo(entry);
    this.undos.push(entry);
  }

  irreversible(description: string): void {
    if (typeof description !== 'string') {
      throw new AgentSessionError('invalid-configuration', 'context.irreversible needs a text.');
    }
    this.lasting.push(description);
  }

  get isEmpty(): boolean {
    return this.undos.length === 0 && this.lasting.length === 0;
  }

  /** The entry of the call; without a word from the tool it is named after the tool, and cannot be reverted. */
  entry(toolCallId: string, tool: RegisteredTool): UndoEntry {
    const descriptions = [...this.undos.map((undo) => undo.description), ...this.lasting];
    /** Steps that are taken back: another attempt at a revert that failed in part runs only the others. */
    const reverted = new Set<ToolUndo>();
    const redoable = this.undos.length > 0 && this.undos.every((undo) => undo.reapply);
    return {
      toolCallId,
      toolName: tool.id,
      description: descriptions.length === 0 ? tool.id : descriptions.join('; '),
      ...(this.undos.length === 0 ? {} : { revert: (expected: Revision) => this.revert(reverted, expected) }),
      ...(redoable ? { reapply: (expected: Revision) => this.reapply(reverted, expected) } : {}),
      ...(tool.irreversible || this.lasting.length > 0 ? { irreversible: true } : {}),
    };
  }

  /** All steps, newest first; a failing one never stops the others. */
  private async revert(reverted: Set<ToolUndo>, expected: Revision): Promise<void | ToolOutcome> {
    let failure: { readonly thrown: unknown } | ToolOutcome | null = null;
    for (const undo of this.undos.toReversed()) {
      if (reverted.has(undo)) continue;
      try {
        const outcome = await undo.revert(expected);
        if (isToolOutcome(outcome) && outcome.outcome !== 'success') failure ??= outcome;
        else reverted.add(undo);
      } catch (error) {
        failure ??= { thrown: error };
      }
    }
    if (failure === null) return undefined;
    if (isToolOutcome(failure)) return failure;
    throw failure.thrown;
  }

  private async reapply(reverted: Set<ToolUndo>, expected: Revision): Promise<void | ToolOutcome> {
    for (const undo of this.undos) {
      if (!reverted.has(undo)) continue;
      const outcome = await undo.reapply!(expected);
      if (isToolOutcome(outcome) && outcome.outcome !== 'success') return outcome;
      reverted.delete(undo);
    }
    return undefined;
  }
}
