import { AgentSessionError } from '../errors/agent-session-error.js';
import { deepFreeze } from '../json/json.js';
import type { Conversation, Message } from './message.js';
import { checkPairs, readMessage } from './read-message.js';
import { readTurn } from './read-turn.js';
import { copyOf, listOf, objectOf, wrong } from './saved-json.js';
import type { TurnOutcome, TurnRecord, UndoReport } from './turn-record.js';

/** The version of the format that this release writes. It opens every version that was released before. */
export const SAVED_VERSION = 1;

/** A conversation as versioned JSON: the messages that the model reads, and the turns that a view shows. */
export interface SavedConversation {
  readonly version: number;
  readonly messages: readonly Message[];
  readonly turns: readonly TurnRecord[];
}

/** A saved conversation after it was checked and copied. */
export interface OpenedConversation {
  readonly conversation: Conversation;
  readonly turns: readonly TurnRecord[];
}

/**
 * Returns the conversation as JSON. A turn that is still running is saved as one that was interrupted, which can be retried: its
 * record holds the rounds so far, and the effects that stay in the app.
 *
 * @param report the report of the running turn, as if it ended now; null when no turn runs
 */
export function saveConversation(
  conversation: Conversation,
  turns: readonly TurnRecord[],
  liveTurn: TurnRecord | null,
  report: UndoReport | null,
): SavedConversation {
  return {
    version: SAVED_VERSION,
    messages: conversation.messages,
    turns: liveTurn === null ? turns : [...turns, interruptedTurn(liveTurn, report)],
  };
}

function interruptedTurn(record: TurnRecord, report: UndoReport | null): TurnRecord {
  const error = new AgentSessionError(
    'interrupted',
    'The page was left while this turn was running.',
  ).toJSON();
  const outcome: TurnOutcome = {
    status: 'failed',
    usage: null,
    rounds: record.rounds.length,
    error,
    report: report ?? { done: [], failed: [], irreversible: [], lost: [], unknown: [] },
  };
  return { ...record, status: 'failed', outcome };
}

/**
 * Checks a saved conversation, whose origin is unknown, and returns a frozen copy. The given object is neither changed nor kept.
 *
 * @throws AgentSessionError `unsupported` for a newer version; `invalid-configuration`, naming the place, for a value that is
 *   no saved conversation
 */
export function openConversation(saved: unknown): OpenedConversation {
  const { messages: savedMessages, turns: savedTurns, ...rest } = objectOf(saved, 'the saved conversation');
  checkVersion(copyOf(rest, 'the saved conversation').version);
  const messages = listOf(savedMessages, 'messages').map((message, index) =>
    readMessage(message, `messages[${index}]`),
  );
  checkPairs(messages);
  const turns = listOf(savedTurns, 'turns').map((turn, index) => readTurn(turn, `turns[${index}]`));
  checkRetry(messages, turns);
  // Frozen here: at the first request, which shares the messages, it would delay the first text.
  return deepFreeze({ conversation: { messages }, turns });
}

function checkVersion(version: unknown): void {
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return wrong('version', 'it is missing');
  }
  if (version > SAVED_VERSION) {
    throw new AgentSessionError(
      'unsupported',
      `This conversation was saved by a newer release (version ${version}; this one reads up to ${SAVED_VERSION}).`,
      { details: { version, supported: SAVED_VERSION } },
    );
  }
}

/** Checks that a retry is possible: it removes the messages of the last turn, and the others must be a valid conversation. */
function checkRetry(messages: readonly Message[], turns: readonly TurnRecord[]): void {
  const last = turns.at(-1);
  if (last?.status !== 'failed' && last?.status !== 'cancelled') return;
  const at = `turns[${turns.length - 1}].messageIds`;
  const ids = new Set(last.messageIds);
  const others = messages.filter((message) => !ids.has(message.id));
  if (others.some((message) => message.id === last.input.id)) wrong(at, 'the message of the user is missing');
  try {
    checkPairs(others);
  } catch {
    wrong(at, 'it lists some messages of the turn, and not all');
  }
}
