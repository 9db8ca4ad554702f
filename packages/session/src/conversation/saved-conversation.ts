import { AgentSessionError } from '../errors/agent-session-error.js';
import { canonicalJson, deepFreeze, isJsonObject, type JsonObject } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Conversation, Message } from './message.js';
import { parseArguments } from './parse-arguments.js';
import type { TurnOutcome, TurnRecord, UndoReport } from './turn-record.js';

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
 * Saves. A turn that is still running is saved as one that was interrupted, and can be retried: its record shows how far
 * it came, and which of its effects are left behind.
 *
 * @param report the report of the running turn, as if it were broken off now; null when none runs
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
    report: report ?? { done: [], failed: [], irreversible: [], unknown: [] },
  };
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
  const messages = listOf(copy.messages, 'messages').map((message, index) =>
    readMessage(message, `messages[${index}]`),
  );
  checkPairs(messages);
  const turns = listOf(copy.turns, 'turns').map(readTurn);
  return deepFreeze({ conversation: { messages }, turns });
}

function readMessage(value: unknown, at: string): Message {
  const message = textsOf(value, ['id'], at);
  const { role } = message;
  if (role !== 'user' && role !== 'assistant') return wrong(`${at}.role`, 'it is neither user nor assistant');
  const parts = listOf(message.parts, `${at}.parts`);
  if (parts.length === 0) wrong(`${at}.parts`, 'it is empty');
  parts.forEach((part, position) => {
    const type = readPart(part, `${at}.parts[${position}]`);
    if (!partsOf[role].includes(type))
      wrong(`${at}.parts[${position}]`, `the ${role} has no such part as ${type}`);
  });
  return message as unknown as Message;
}

/** The kinds of parts that each role may have. */
const partsOf: Readonly<Record<Message['role'], readonly string[]>> = {
  user: ['text', 'image', 'tool-result'],
  assistant: ['text', 'thinking', 'tool-call', 'opaque'],
};

/** What each kind of part cannot do without. */
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['mediaType', 'data'],
  thinking: ['text'],
  'tool-call': ['id', 'tool', 'argumentsText'],
  'tool-result': ['callId', 'outcome'],
  opaque: ['provider'],
};

function readPart(value: unknown, at: string): string {
  const part = objectOf(value, at);
  const required = Object.hasOwn(requiredTexts, String(part.type))
    ? requiredTexts[String(part.type)]!
    : undefined;
  if (required === undefined) return wrong(`${at}.type`, `it is ${JSON.stringify(part.type)}`);
  textsOf(part, required, at);
  if (part.type === 'text' && part.text === '') wrong(at, 'it is empty');
  if (part.type === 'tool-result') listOf(part.content, `${at}.content`);
  if (part.type === 'tool-call') {
    const parsed = parseArguments(part.argumentsText as string);
    if (canonicalJson(parsed.ok ? parsed.value : null) !== canonicalJson(part.arguments ?? null)) {
      wrong(`${at}.arguments`, 'it is not what the text of the call says');
    }
  }
  return part.type as string;
}

/** Every call has exactly one result, right behind it: otherwise no provider would accept the next request. */
function checkPairs(messages: readonly Message[]): void {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  const ids = new Set(messages.map((message) => message.id));
  if (ids.size !== messages.length) wrong('messages', 'two of them have the same id');
  messages.forEach((message, index) => {
    const at = `messages[${index}]`;
    const first = message.parts.findIndex((part) => part.type !== 'tool-result');
    if (first >= 0 && message.parts.slice(first).some((part) => part.type === 'tool-result')) {
      wrong(at, 'its tool results do not come first');
    }
    const results = message.parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    if (
      results.length !== open.length ||
      results.some((id) => !open.includes(id)) ||
      new Set(results).size !== results.length
    ) {
      wrong(at, 'its tool results do not answer the calls before it');
    }
    if (message.role === 'assistant' && (messages[index - 1]?.role ?? 'assistant') === 'assistant') {
      wrong(at, 'an assistant message follows a user message');
    }
    open = message.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    for (const id of open) {
      if (seen.has(id)) wrong(at, `the call ${id} stands in it a second time`);
      seen.add(id);
    }
  });
  if (open.length > 0) wrong(`messages[${messages.length - 1}]`, 'its tool calls have no results');
}

const statuses = ['completed', 'stopped', 'cancelled', 'failed'];
const undoStates = ['undone', 'partly-undone', 'redone', 'partly-redone'];

function readTurn(value: unknown, index: number): TurnRecord {
  const at = `turns[${index}]`;
  const turn = textsOf(value, ['id'], at);
  readMessage(turn.input, `${at}.input`);
  oneOf(turn.status, statuses, `${at}.status`);
  listOf(turn.messageIds, `${at}.messageIds`).forEach((id) => textOf(id, `${at}.messageIds`));
  readItems(turn.effects, `${at}.effects`);
  if (turn.unknown !== undefined) readItems(turn.unknown, `${at}.unknown`);
  listOf(turn.rounds, `${at}.rounds`).forEach((round, number) => readRound(round, `${at}.rounds[${number}]`));
  const outcome = objectOf(turn.outcome, `${at}.outcome`);
  oneOf(outcome.status, statuses, `${at}.outcome.status`);
  const report =
    outcome.report === undefined ? {} : { report: readReport(outcome.report, `${at}.outcome.report`) };
  if (outcome.error !== undefined) readError(outcome.error, `${at}.outcome.error`);
  const undo = turn.undo === undefined ? {} : { undo: readUndo(turn.undo, `${at}.undo`) };
  return { ...turn, outcome: { ...outcome, ...report }, ...undo } as unknown as TurnRecord;
}

function readUndo(value: unknown, at: string): JsonObject {
  const undo = objectOf(value, at);
  oneOf(undo.state, undoStates, `${at}.state`);
  return { ...undo, report: readReport(undo.report, `${at}.report`) };
}

function readRound(value: unknown, at: string): void {
  listOf(objectOf(value, at).parts, `${at}.parts`).forEach((one, position) => {
    const partAt = `${at}.parts[${position}]`;
    const part = objectOf(one, partAt);
    // A call of a record is a view: it has a state, and may have a result.
    if (part.type !== 'tool-call') return void readPart(part, partAt);
    textsOf(part, [...requiredTexts['tool-call']!, 'state'], partAt);
    if (part.result !== undefined) {
      const result = textsOf(part.result, ['outcome'], `${partAt}.result`);
      listOf(result.content, `${partAt}.result.content`);
    }
    if (part.late !== undefined) objectOf(part.late, `${partAt}.late`);
  });
}

/** Reports that were saved by older releases have no list `unknown`. */
function readReport(value: unknown, at: string): JsonObject {
  const report: JsonObject = { unknown: [], ...objectOf(value, at) };
  for (const list of ['done', 'failed', 'irreversible', 'unknown']) readItems(report[list], `${at}.${list}`);
  return report;
}

function readItems(value: unknown, at: string): void {
  listOf(value, at).forEach((item, index) =>
    textsOf(item, ['toolCallId', 'toolName', 'description'], `${at}[${index}]`),
  );
}

function readError(value: unknown, at: string): void {
  objectOf(textsOf(value, ['code', 'message'], at).details, `${at}.details`);
}

function oneOf(value: unknown, allowed: readonly string[], at: string): void {
  if (!allowed.includes(textOf(value, at))) wrong(at, `it is ${JSON.stringify(value)}`);
}

function objectOf(value: unknown, at: string): JsonObject {
  return isJsonObject(value) ? value : wrong(at, 'it is no object');
}

/** An object that has these fields, each a text. */
function textsOf(value: unknown, fields: readonly string[], at: string): JsonObject {
  const object = objectOf(value, at);
  for (const field of fields) textOf(object[field], `${at}.${field}`);
  return object;
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
