import type { AgentSession } from '@handrail/session';

/**
 * What a screen reader should hear: the last block of text that is complete. While text streams, nothing is said; the
 * block is read out when it has ended.
 */
export function announcement(session: AgentSession): string {
  const live = session.liveTurn.value;
  const record = live ?? session.turns.value.at(-1);
  const parts = record?.rounds.flatMap((round) => round.parts) ?? [];
  const ended = live === null ? parts : parts.slice(0, -1);
  return ended.findLast((part) => part.type === 'text')?.text ?? '';
}
