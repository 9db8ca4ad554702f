import { Draft } from '../state/change.js';
import { ownerChanges } from '../state/restored-undo.js';
import { resumedState, type Resumed } from '../state/resumed-state.js';
import { foldStateOf, sessionStateOf, type SessionState } from '../state/session-state.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { bindSteps } from '../undo/bind-steps.js';
import type { UndoProvider } from '../undo/undo-provider.js';

/** Returns the state of a session that opens a saved conversation. Its turns can be undone as far as this session has the tools for it. */
export function openedState(
  opened: Resumed,
  tools: ToolRegistry,
  history: UndoProvider | null | undefined,
): SessionState {
  const initial = resumedState(opened);
  const state = foldStateOf(initial);
  const { undo } = state.fold;
  if (undo.length === 0) return initial;
  const draft = new Draft(state);
  draft.apply(ownerChanges(state, bindSteps(undo, tools, history)));
  return sessionStateOf(draft.takeAll());
}
