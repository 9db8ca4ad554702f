import type { AttachedInput } from '@banister/provider';
import type { MessageSource, TurnOptions } from '../conversation/turn-record.js';

/** A message was put into the queue, or a message in the queue was changed or moved. */
export interface Queued {
  readonly type: 'queued';
  /** The id of the item. If the queue has an item with this id, it is replaced. */
  readonly id: string;
  readonly input: AttachedInput;
  /** The options for its turn; absent if there are none. */
  readonly options?: TurnOptions;
  /** Where the message comes from; absent if the user wrote it. */
  readonly from?: MessageSource;
  /** Whether the message waits to join the running turn. */
  readonly steering: boolean;
  /** The id of the child turn that the message waits to join; absent for any other message. */
  readonly child?: string;
  /** The id of the item before which it is placed; null for the end. Items that steer come before all others. */
  readonly before: string | null;
  /**
   * Present if the app gave the id, and the message is new: the id counts once in this log, see {@link EnqueueOptions.id}. Absent if a
   * message in the queue was changed or moved.
   */
  readonly given?: true;
  /** The id of the command that put the message there, see `commandBegan`; absent if this session put the message there itself. */
  readonly command?: string;
}

/** A message left the queue. */
export interface Dequeued {
  readonly type: 'dequeued';
  readonly id: string;
  /** `started`: its turn begins with the next operation. `removed`: the user removed it, or the child turn that it was to join ended. `refused`: its turn could not start. */
  readonly reason: 'started' | 'removed' | 'refused';
  /** The id of the turn that begins; absent if none begins. */
  readonly target?: string;
}

/** A paused queue goes on. */
export interface QueueResumed {
  readonly type: 'queueResumed';
}

export type QueueOperation = Queued | Dequeued | QueueResumed;
