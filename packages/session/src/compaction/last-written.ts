import type { Message } from '@banister/provider';
import type { TurnRecord } from '../conversation/turn-record.js';
import type { SessionState } from '../state/session-state.js';

/**
 * Returns the id of the last message that the user wrote; null if there is none. It uses the records of the turns to distinguish such a
 * message from the note of a middleware that continued a turn, because the user may also write a text in the form of a note.
 */
export function lastWritten({
  conversation,
  turns,
  liveTurn,
}: Pick<SessionState, 'conversation' | 'turns' | 'liveTurn'>): string | null {
  const added = new Set([...turns, ...(liveTurn === null ? [] : [liveTurn])].flatMap(addedIn));
  const isWritten = ({ id, role, parts }: Message) => {
    const results = parts.filter(({ type }) => type === 'tool-result').length;
    return role === 'user' && results < parts.length && (results > 0 || !added.has(id));
  };
  return conversation.messages.findLast(isWritten)?.id ?? null;
}

/** Returns the ids of the messages of a turn that are neither its input nor steering messages. */
function addedIn({ input, rounds, messageIds }: TurnRecord): readonly string[] {
  const parts = rounds.flatMap((round) => round.parts);
  const steered = parts.flatMap((part) => (part.type === 'steering' ? [part.message.id] : []));
  return messageIds.filter((id) => id !== input.id && !steered.includes(id));
}
