import { messagesWithFiles } from '../context/fit-messages.js';
import { notedTurns } from '../conversation/noted-turns.js';
import type { SessionState } from '../state/session-state.js';
import { messagesWithCalls } from './tool-choice.js';

/**
 * Reads a conversation for the places that its requests depend on, which are remembered. The first request then reads the messages since alone: it
 * leaves 3 ms earlier behind 10,000 messages.
 */
export function readAhead({ turns, conversation: { messages } }: SessionState): void {
  notedTurns(turns);
  messagesWithFiles(messages);
  messagesWithCalls(messages);
}
