import type { OwnerChanged } from '../operations/session-operations.js';
import type { FoldState } from '../state/session-state.js';
import type { ToolRegistry } from '../tools/tool-registry.js';

/** Returns the effects that a session with these tools can take back: those with data whose tool has an `undo`. */
export function revertibleSteps({ fold }: FoldState, tools: ToolRegistry): OwnerChanged['revertible'] {
  return Object.values(fold.undo).flatMap(({ calls }) =>
    calls.flatMap(({ callId, tool, steps }) =>
      tools.get(tool)?.tool.undo === undefined
        ? []
        : steps.flatMap(({ step, data }) => (data === undefined ? [] : [{ callId, step }])),
    ),
  );
}
