import type { Operation, OperationOf } from '../operations/operation.js';
import { allHandlers } from './all-handlers.js';
import type { SessionState } from './session-state.js';
import { StateStore } from './state-store.js';

/**
 * Returns the operations of a stored record, with the fields that `toStored` dropped and the state has. The request of a model call
 * stays dropped. Pure.
 *
 * @param state the state before the record
 *
 * @example
 * for (const record of records) state = fromStored(state, record).reduce(apply, state);
 */
export function fromStored(
  state: SessionState,
  { operations }: { readonly operations: readonly Operation[] },
): Operation[] {
  const store = new StateStore(state, allHandlers);
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

/** Adds the text and the messages of the running turn, which the turn has when it ends. */
function withResult({ currentText, conversation, liveTurn }: SessionState, ending: Ending): Ending {
  const ids = new Set(liveTurn?.messageIds);
  const messages = conversation.messages.slice(-ids.size).filter(({ id }) => ids.has(id));
  return { ...ending, text: currentText, messages };
}
