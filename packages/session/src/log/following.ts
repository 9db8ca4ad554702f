import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { isPiece, type Operation } from '../operations/operation.js';

/**
 * Returns the operations with a higher sequence number. Numbers may be missing before pieces of text, of thinking and of output, because a
 * stored log joins adjacent pieces into one piece, with the number of the last. They may be missing before facts of child turns too, because
 * pieces of one child turn are joined across the facts of others. Throws `storage` when another operation is missing.
 */
export function following(sequence: number, operations: readonly Operation[]): readonly Operation[] {
  let last = sequence;
  const news: Operation[] = [];
  for (const operation of operations) {
    const { sequence: received } = operation;
    if (received <= last) continue;
    if (received !== last + 1 && operation.type !== 'subagent' && !isPiece(operation))
      throw missing(last + 1, received);
    last = received;
    news.push(operation);
  }
  return news;
}

function missing(expected: number, received: number): AgentSessionError {
  return new AgentSessionError(
    'storage',
    `The log has a gap: operation ${expected} was expected, not ${received}.`,
    { details: { expected, received } },
  );
}
