import type { AgentSession, Operation } from '@banister/session';
import { signal } from '@banister/session/signals';

/** How long the model thought, as this page saw it, because records have no times. */
export interface ThinkingTimes {
  /** Follows the turns of a session from here on. */
  follow(session: Pick<AgentSession, 'operations$' | 'state' | 'link'>): void;
  /**
   * Returns the time of a block of thinking, in milliseconds: from its first piece to the next piece of
   * another kind. null while it grows, and for a block of an earlier page or another tab. Reads a signal.
   */
  of(id: string): number | null;
}

/** A growing block. Its id is known when it has text. */
interface OpenBlock {
  id: string | null;
  readonly since: number;
}

export function createThinkingTimes(): ThinkingTimes {
  const times = signal<ReadonlyMap<string, number>>(new Map());

  return {
    follow(session) {
      let open: OpenBlock | null = null;
      const close = (at: number): void => {
        if (open !== null && open.id !== null)
          times.value = new Map(times.peek()).set(open.id, at - open.since);
        open = null;
      };
      session.operations$.subscribe((operation: Operation) => {
        // Usage may arrive at any time.
        if (operation.type === 'usage') return;
        if (operation.type !== 'thinking') return close(operation.at);
        // A log keeps only the time of the last piece.
        if (session.link.peek().role !== 'writer') return;
        open ??= { id: null, since: operation.at };
        // The state is read once per block.
        if (operation.delta !== '') open.id ??= idOfLast(session.state.liveTurn);
        if (operation.signature !== undefined) close(operation.at);
      });
    },
    of: (id) => times.value.get(id) ?? null,
  };
}

function idOfLast(turn: AgentSession['state']['liveTurn']): string | null {
  const parts = turn?.rounds.at(-1)?.parts;
  if (!turn || !parts) return null;
  return thinkingId(
    turn.id,
    turn.rounds.length - 1,
    parts.filter(({ type }) => type === 'thinking').length - 1,
  );
}

/**
 * Returns the id of a block of thinking.
 *
 * @param round the position of the round in the turn
 * @param place the position among the thinking blocks of the round
 */
export function thinkingId(turnId: string, round: number, place: number): string {
  return `${turnId} ${round}.${place}`;
}

/** Returns the title of a block of thinking. */
export function thinkingWords(ms: number | null, isCurrent: boolean): string {
  if (isCurrent) return 'Thinking…';
  if (ms === null) return 'Thought';
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return 'Thought for a moment';
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `Thought for ${seconds} s` : `Thought for ${minutes} min ${seconds % 60} s`;
}
