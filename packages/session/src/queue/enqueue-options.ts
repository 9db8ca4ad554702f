import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { checked } from '@banister/provider/internal/errors/checked';
import { any, filled, only, optional, type Read } from '@banister/provider/internal/json/shape';
import type { MessageSource } from '../conversation/turn-record.js';
import type { EnqueueOptions, SteerOptions, TurnResult } from '../session/agent-session.js';

export type EnqueueResult = TurnResult['status'] | 'cancelled';
export type SteerResult = 'joined' | 'queued' | 'cancelled';

// `turnSettings` checks the other fields.
const shape = only({
  id: any,
  from: optional(only({ task: filled } satisfies Record<keyof MessageSource, Read>)),
  limits: any,
  toolChoice: any,
  directives: any,
  use: any,
  commit: any,
} satisfies Record<keyof EnqueueOptions, Read>);

const steerShape = only({ child: optional(filled) } satisfies Record<keyof SteerOptions, Read>);

/** Returns the id of the child turn that a message is to join; undefined for the turn that the user sent. Throws for wrong options. */
export function steeredChild(options: SteerOptions = {}): string | undefined {
  checked(steerShape, options, 'The options of steer');
  return options.child;
}

/** Returns the options of a message for the queue, with a copy of `from`. Throws if the id is not a string, and for unknown options. */
export function enqueueOptions(options: EnqueueOptions): EnqueueOptions {
  checked(shape, options, 'The options of a message for the queue');
  const { id, from } = options;
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new AgentSessionError('invalid-input', 'The id of a queued message must be a non-empty string.');
  return from === undefined ? options : { ...options, from: { task: from.task } };
}
