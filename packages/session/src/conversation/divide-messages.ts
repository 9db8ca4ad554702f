import type { Message } from '@banister/provider';
import type { TurnRecord } from './turn-record.js';

/** The messages of a path: the messages before the first turn, and the messages of each turn, in the order of the turns. */
interface DividedMessages {
  readonly prefix: readonly Message[];
  readonly ofTurns: readonly (readonly Message[])[];
}

/** Divides the messages of a path among its turns. A message without a turn belongs to the previous turn. */
export function divideMessages(
  messages: readonly Message[],
  path: readonly Pick<TurnRecord, 'messageIds'>[],
): DividedMessages {
  const owners = new Map(
    path.flatMap(({ messageIds }, index) => messageIds.map((id) => [id, index] as const)),
  );
  const prefix: Message[] = [];
  const ofTurns = path.map((): Message[] => []);
  let current = -1;
  for (const message of messages) {
    current = Math.max(current, owners.get(message.id) ?? current);
    (ofTurns[current] ?? prefix).push(message);
  }
  return { prefix, ofTurns };
}
