import type { Operation } from './operation.js';
import { storedOperations } from './stored.js';

/**
 * Returns the operations as a log stores them, which is far less text: without the request of a model call, and without the text and
 * the messages of a terminal operation, which the state has; adjacent pieces of text, of thinking, and of structured output are one operation with the
 * number and the time of the last one. Fields of later releases are kept.
 *
 * @param operations the operations of one record, in order
 *
 * @example
 * const record = { version: 1, revision: 1, epoch: 1, operations: toStored(operations) };
 */
export function toStored(operations: readonly Operation[]): Operation[] {
  return storedOperations(operations);
}
