import type { Operation } from './operation.js';
import { storedOperations } from './stored.js';

/**
 * Returns the operations as a log stores them, with far less text. Left out are the request of a model call, and the text and the messages
 * of a terminal operation, because the state has them. Adjacent pieces of text, of thinking, and of structured output are joined into one
 * operation with the number and the time of the last piece. Fields of later releases are kept.
 *
 * @param operations the operations of one record, in order
 *
 * @example
 * const record = { version: 1, revision: 1, epoch: 1, operations: toStored(operations) };
 */
export function toStored(operations: readonly Operation[]): Operation[] {
  return storedOperations(operations);
}
