import type { Operation, SessionState } from '@banister/session';

/** Returns the messages of the queue that are not in exactly one place: in the queue, in a turn, or removed. */
export function queueProblems(operations: readonly Operation[], { queue }: SessionState): readonly string[] {
  const started = new Set(operations.flatMap(({ type, turnId }) => (type === 'turnStarted' ? [turnId] : [])));
  const places = new Map<string, string[]>();
  for (const operation of operations) {
    if (operation.type === 'queued') places.set(operation.id, places.get(operation.id) ?? []);
    const fact = operation.type === 'subagent' ? operation.inner : operation;
    if (fact.type === 'steered') places.get(fact.id)!.push('joined');
    if (operation.type !== 'dequeued') continue;
    // Where the log ended before the turn began, the message is in the queue again.
    if (operation.reason !== 'started' || started.has(operation.target ?? ''))
      places.get(operation.id)!.push(operation.reason);
  }
  for (const { id } of queue) places.get(id)!.push('queued');
  return [...places].flatMap(([id, found]) =>
    found.length === 1 ? [] : [`message ${id} is in ${found.length} places: ${found.join()}`],
  );
}
