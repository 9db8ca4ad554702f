import type { AttachedInput } from '../conversation/message.js';
import type { TurnOptions } from '../conversation/turn-record.js';

/** A message was put into the queue, or one that stands there was changed or moved. */
export interface Queued {
  readonly type: 'queued';
  /** The id of the item. That of an item in the queue replaces it. */
  readonly id: string;
  readonly input: AttachedInput;
  /** The options for its turn; absent where there are none. */
  readonly options?: TurnOptions;
  /** Whether it waits to join the running turn. */
  readonly steering: boolean;
  /** The id of the item that follows it; null for the end. Items that steer stand before all others. */
  readonly before: string | null;
}

/** A message left the queue. */
export interface Dequeued {
  readonly type: 'dequeued';
  readonly id: string;
  /** `started`: its turn begins with the next operation. `removed`: by the user. `refused`: its turn could not start. */
  readonly reason: 'started' | 'removed' | 'refused';
  /** The id of the turn that begins; absent where none does. */
  readonly target?: string;
}

/** A queue that was paused goes on. */
export interface QueueResumed {
  readonly type: 'queueResumed';
}

export type QueueOperation = Queued | Dequeued | QueueResumed;
