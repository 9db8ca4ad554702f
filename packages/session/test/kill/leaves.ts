import type { Operation } from '@banister/session';

/** Facts of a child turn that say nothing about the turn that the user sent. */
const ofChild: ReadonlySet<string> = new Set([
  'turnStarted',
  'turnResumed',
  'messagesAppended',
  'commitStarted',
  'committed',
  'cancelRequested',
  'completed',
  'stopped',
  'cancelled',
  'failed',
]);

/** Returns the operations of a log with the facts of child turns about calls, and about taking effects back, as facts of the turn. */
export function withLeaves(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap((operation): readonly Operation[] => {
    if (operation.type !== 'subagent') return [operation];
    const { inner, sequence, at, turnId } = operation;
    return ofChild.has(inner.type) ? [] : [{ ...inner, sequence, at, turnId } as Operation];
  });
}
