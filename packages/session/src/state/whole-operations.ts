import type { Operation } from '../operations/operation.js';
import { childState } from './child-state.js';
import { foldStateOf, type FoldState } from './session-state.js';
import type { StateStore } from './state-store.js';
import { textOfTurn } from './text-of-turn.js';

/** Folds the operations of a stored record, and returns them including the fields that the record lacks: see `fromStored`. */
export function wholeOperations(store: StateStore, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => {
    const whole = wholeOf(foldStateOf(store.snapshot()), operation);
    store.apply(whole);
    return whole;
  });
}

function wholeOf(state: FoldState, operation: Operation): Operation {
  if (operation.type !== 'subagent') return withResult(() => state, operation);
  const { path, inner } = operation;
  const whole = withResult(() => childState(state, path.at(-1)!), inner);
  return whole === inner ? operation : { ...operation, inner: whole };
}

/** Adds the text and the messages of a running turn to the fact of its end, if the record lacks them. */
function withResult<T extends { readonly type: string }>(stateNow: () => FoldState, fact: T): T {
  if ((fact.type !== 'completed' && fact.type !== 'stopped') || 'messages' in fact) return fact;
  const state = stateNow();
  const ids = new Set(state.liveTurn?.messageIds);
  const messages = state.conversation.messages.slice(-ids.size).filter(({ id }) => ids.has(id));
  return { ...fact, text: textOfTurn(state), messages };
}
