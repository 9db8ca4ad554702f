import type { Operation, OperationOf } from '../operations/operation.js';
import { textOfTurn } from './text-of-turn.js';
import type { SessionState } from './session-state.js';
import type { StateStore } from './state-store.js';

/** Folds the operations of a stored record, and returns them including the fields that the record lacks: see `fromStored`. */
export function wholeOperations(store: StateStore, operations: readonly Operation[]): Operation[] {
  return operations.map((operation) => {
    const whole = isCut(operation) ? withResult(store.snapshot(), operation) : operation;
    store.apply(whole);
    return whole;
  });
}

type Ending = OperationOf<'completed' | 'stopped'>;

function isCut(operation: Operation): operation is Ending {
  return (operation.type === 'completed' || operation.type === 'stopped') && !('messages' in operation);
}

/** Adds the text and the messages of the running turn to the operation of its end. */
function withResult(state: SessionState, ending: Ending): Ending {
  const { conversation, liveTurn } = state;
  const ids = new Set(liveTurn?.messageIds);
  const messages = conversation.messages.slice(-ids.size).filter(({ id }) => ids.has(id));
  return { ...ending, text: textOfTurn(state), messages };
}
