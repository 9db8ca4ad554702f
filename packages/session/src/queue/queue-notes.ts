import type { TurnStatus } from '../conversation/turn-record.js';
import { set, type Change } from '../state/change.js';
import type { FoldState } from '../state/session-state.js';

/** Returns the changes that pause a queue. An empty queue is not paused. */
export function queuePaused({ queue }: Pick<FoldState, 'queue'>): readonly Change[] {
  return queue.length === 0 ? [] : [set(['queuePaused'], true)];
}

/** Returns the changes of the queue at the end of a turn: a message that did not join the turn waits for its own turn. */
export function queueAfterTurn(state: FoldState, status: TurnStatus): readonly Change[] {
  const { queue } = state;
  const hasSteering = queue.some(({ steering }) => steering);
  return [
    ...(hasSteering
      ? [
          set(
            ['queue'],
            queue.map((item) => (item.steering ? { ...item, steering: false } : item)),
          ),
        ]
      : []),
    ...(status === 'completed' || status === 'stopped' ? [] : queuePaused(state)),
  ];
}

/** Returns the key of a message in the note `given`. The sign keeps the names of an object's own members free. */
export const givenKey = (id: string): string => `#${id}`;

/** Returns true if the app has given this id to a message, and the message was not refused. */
export function isGiven({ fold }: Pick<FoldState, 'fold'>, id: string): boolean {
  return typeof fold.given[givenKey(id)] === 'string';
}
