import type { JsonObject } from '../json/json.js';
import { readMessage, readPart } from './read-message.js';
import { copyOf, listOf, objectOf, oneOf, textOf, textsOf } from './saved-json.js';
import type { RoundRecord, TurnRecord } from './turn-record.js';

const statuses = ['completed', 'stopped', 'cancelled', 'failed'];
const undoStates = ['undone', 'partly-undone', 'redone', 'partly-redone'];

/**
 * Returns a checked copy of the record of a turn that has ended, and whose parent and messages the caller knows. Throws
 * `invalid-configuration`, naming the place.
 */
export function readRecord(value: unknown, at: string): Omit<TurnRecord, 'messageIds' | 'parentId'> {
  const { input, rounds, ...rest } = objectOf(value, at);
  const turn = textsOf(copyOf(rest, at), ['id'], at);
  oneOf(turn.status, statuses, `${at}.status`);
  if (turn.retryOf !== undefined) textOf(turn.retryOf, `${at}.retryOf`);
  if (turn.options !== undefined) readOptions(turn.options, `${at}.options`);
  readItems(turn.effects, `${at}.effects`);
  if (turn.unknown !== undefined) readItems(turn.unknown, `${at}.unknown`);
  if (turn.stays !== undefined) readItems(turn.stays, `${at}.stays`, ['turnId']);
  const outcome = objectOf(turn.outcome, `${at}.outcome`);
  oneOf(outcome.status, statuses, `${at}.outcome.status`);
  const report =
    outcome.report === undefined ? {} : { report: readReport(outcome.report, `${at}.outcome.report`) };
  if (outcome.error !== undefined) readError(outcome.error, `${at}.outcome.error`);
  const undo = turn.undo === undefined ? {} : { undo: readUndo(turn.undo, `${at}.undo`) };
  return {
    ...turn,
    outcome: { ...outcome, ...report },
    ...undo,
    input: readMessage(input, `${at}.input`),
    rounds: listOf(rounds, `${at}.rounds`).map((round, number) =>
      readRound(round, `${at}.rounds[${number}]`),
    ),
  } as unknown as Omit<TurnRecord, 'messageIds' | 'parentId'>;
}

/** Checks the options of a turn. The names of limits are checked when a turn is started with them. */
function readOptions(value: unknown, at: string): void {
  const { limits } = objectOf(value, at);
  if (limits === undefined) return;
  for (const [name, limit] of Object.entries(objectOf(limits, `${at}.limits`))) {
    if (limit !== null && typeof limit !== 'number') textOf(limit, `${at}.limits.${name}`);
  }
}

function readRound(value: unknown, at: string): RoundRecord {
  const { parts, ...rest } = objectOf(value, at);
  const copies = listOf(parts, `${at}.parts`).map((part, position) => {
    const partAt = `${at}.parts[${position}]`;
    return objectOf(part, partAt).type === 'tool-call' ? readCall(part, partAt) : readPart(part, partAt);
  });
  return { ...copyOf(rest, at), parts: copies } as unknown as RoundRecord;
}

/** Returns a checked copy of a `ToolCallView`: unlike a call in a message it has a state, and may have a result. */
function readCall(value: unknown, at: string): JsonObject {
  const call = textsOf(copyOf(value, at), ['id', 'tool', 'argumentsText', 'state'], at);
  if (call.result !== undefined) {
    const result = textsOf(call.result, ['outcome'], `${at}.result`);
    listOf(result.content, `${at}.result.content`);
  }
  if (call.late !== undefined) objectOf(call.late, `${at}.late`);
  return call;
}

function readUndo(value: unknown, at: string): JsonObject {
  const undo = objectOf(value, at);
  oneOf(undo.state, undoStates, `${at}.state`);
  return { ...undo, report: readReport(undo.report, `${at}.report`) };
}

/** Returns a checked copy of a report. Older releases saved reports without the lists `lost` and `unknown`. */
function readReport(value: unknown, at: string): JsonObject {
  const report: JsonObject = { lost: [], unknown: [], ...objectOf(value, at) };
  for (const list of ['done', 'failed', 'irreversible', 'lost', 'unknown'])
    readItems(report[list], `${at}.${list}`);
  return report;
}

function readItems(value: unknown, at: string, more: readonly string[] = []): void {
  listOf(value, at).forEach((item, index) =>
    textsOf(item, ['toolCallId', 'toolName', 'description', ...more], `${at}[${index}]`),
  );
}

function readError(value: unknown, at: string): void {
  objectOf(textsOf(value, ['code', 'message'], at).details, `${at}.details`);
}
