import type { Ids } from '@banister/session';

/**
 * Ids that a test can predict: `turn_1`, `message_1`, `message_2`, counted for each kind.
 *
 * @example
 * const session = createAgentSession({ provider, ports: { ids: createSequentialIds() } });
 * await session.send('Hello');
 * console.log(session.turns.value[0]?.id); // 'turn_1'
 */
export function createSequentialIds(): Ids {
  const counts = new Map<string, number>();
  return {
    next(kind) {
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      return `${kind}_${count}`;
    },
  };
}
