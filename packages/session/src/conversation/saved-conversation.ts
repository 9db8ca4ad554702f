import { AgentSessionError } from '../errors/agent-session-error.js';
import { deepFreeze, isJsonObject, type JsonObject } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Conversation, Message } from './message.js';
import type { TurnOutcome, TurnRecord } from './turn-record.js';

/** The version that this release writes. Every version that was ever released opens for ever. */
export const SAVED_VERSION = 1;

/** A conversation as versioned JSON: what the model sees, and what the user saw. */
export interface SavedConversation {
  readonly version: number;
  readonly messages: readonly Message[];
  readonly turns: readonly TurnRecord[];
}

/** A conversation opened from what was saved. */
export interface OpenedConversation {
  readonly conversation: Conversation;
  readonly turns: readonly TurnRecord[];
}

/**
 * Saves. A turn that is still running is saved as one that was interrupted: whoever opens it sees how far it came, and
 * can retry it.
 */
export function saveConversation(
  conversation: Conversation,
  turns: readonly TurnRecord[],
  liveTurn: TurnRecord | null,
): SavedConversation {
  return {
    version: SAVED_VERSION,
    messages: conversation.messages,
    turns: liveTurn === null ? turns : [...turns, interruptedTurn(liveTurn)],
  };
}

function interruptedTurn(record: TurnRecord): TurnRecord {
  const error = new AgentSessionError(
    'interrupted',
    'The page was left while this turn was running.',
  ).toJSON();
  const outcome: TurnOutcome = { status: 'failed', usage: null, rounds: record.rounds.length, error };
  return { ...record, status: 'failed', outcome };
}

/**
 * Opens what was saved, after checking it: it may come from anywhere. The given object is neither changed nor kept.
 *
 * @throws AgentSessionError `unsupported` for a newer version, which is left as it is; `invalid-configuration`, naming
 *   the place, for anything that is no saved conversation
 */
export function openConversation(saved: unknown): OpenedConversation {
  let copy: unknown;
  try {
    copy = jsonCopy(saved);
  } catch (error) {
    return wrong(`the saved conversation`, messageOf(error));
  }
  if (!isJsonObject(copy)) return wrong('the saved conversation', 'it is no object');
  const { version } = copy;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    return wrong('version', 'it is missing');
  if (version > SAVED_VERSION) {
    throw new AgentSessionError(
      'unsupported',
      `This conversation was saved by a newer release (version ${version}; this one reads up to ${SAVED_VERSION}).`,
      { details: { version, supported: SAVED_VERSION } },
    );
  }
  const messages = listOf(copy.messages, 'messages').map(readMessage);
  checkPairs(messages);
  const turns = listOf(copy.turns, 'turns').map(readTurn);
  return deepFreeze({ conversation: { messages }, turns });
}

function readMessage(value: unknown, index: number): Message {
  const at = `messages[${index}]`;
  const message = objectOf(value, at);
  textOf(message.id, `${at}.id`);
  if (message.role !== 'user' && message.role !== 'assistant')
    wrong(`${at}.role`, 'it is neither user nor assistant');
  listOf(message.parts, `${at}.parts`).forEach((part, position) =>
    readPart(part, `${at}.parts[${position}]`),
  );
  return message as unknown as Message;
}

/** What each kind of part cannot do without. */
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['mediaType', 'data'],
  thinking: ['text'],
  'tool-call': ['id', 'tool', 'argumentsText'],
  'tool-result': ['callId', 'outcome'],
  opaque: ['provider'],
};

function readPart(value: unknown, at: string): void {
  const part = objectOf(value, at);
  const required = Object.hasOwn(requiredTexts, String(part.type))
    ? requiredTexts[String(part.type)]!
    : undefined;
  if (required === undefined) return wrong(`${at}.type`, `it is ${JSON.stringify(part.type)}`);
  for (const field of required) textOf(part[field], `${at}.${field}`);
  if (part.type === 'tool-result') listOf(part.content, `${at}.content`);
  if (part.type === 'tool-call' && part.arguments !== null) objectOf(part.arguments, `${at}.arguments`);
}

/** Every call has exactly one result, right behind it: otherwise no provider would accept the next request. */
function checkPairs(messages: readonly Message[]): void {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    if (
      results.length !== open.length ||
      results.some((id) => !open.includes(id)) ||
      new Set(results).size !== results.length
    ) {
      wrong(at, 'its tool results do not answer the calls before it');
    }
    open = message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    if (open.length > 0 && message.role !== 'assistant') wrong(at, 'only the assistant makes tool calls');
    for (const id of open) {
      if (seen.has(id)) wrong(at, `the call ${id} stands in it a second time`);
      seen.add(id);
    }
  });
  if (open.length > 0) wrong(`messages[${messages.length - 1}]`, 'its tool calls have no results');
}

function readTurn(value: unknown, index: number): TurnRecord {
  const at = `turns[${index}]`;
  const turn = objectOf(value, at);
  textOf(turn.id, `${at}.id`);
  readMessage(turn.input, index);
  textOf(turn.status, `${at}.status`);
  objectOf(turn.outcome, `${at}.outcome`);
  listOf(turn.messageIds, `${at}.messageIds`);
  listOf(turn.effects, `${at}.effects`);
  listOf(turn.rounds, `${at}.rounds`).forEach((round, number) =>
    listOf(objectOf(round, `${at}.rounds[${number}]`).parts, `${at}.rounds[${number}].parts`),
  );
  return turn as unknown as TurnRecord;
}

function objectOf(value: unknown, at: string): JsonObject {
  return isJsonObject(value) ? value : wrong(at, 'it is no object');
}

function listOf(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : wrong(at, 'it is no list');
}

function textOf(value: unknown, at: string): string {
  return typeof value === 'string' ? value : wrong(at, 'it is no text');
}

function wrong(at: string, what: string): never {
  throw new AgentSessionError('invalid-configuration', `This is no saved conversation: ${at}: ${what}.`, {
    details: { at },
  });
}
