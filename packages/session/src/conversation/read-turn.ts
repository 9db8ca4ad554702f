import type { JsonObject } from '../json/json.js';
import { readMessage, readPart } from './read-message.js';
import { copyOf, listOf, objectOf, textOf, wrong } from './saved-json.js';
import { listWith, mapOf, objectWith, oneOf, optional, textOrNumber } from './saved-shape.js';
import type { RoundRecord, TurnPart, TurnRecord } from './turn-record.js';

const status = oneOf('completed', 'stopped', 'cancelled', 'failed');
const itemFields = { toolCallId: textOf, toolName: textOf, description: textOf };
const items = listWith(objectWith(itemFields));
/** Older releases saved reports without the lists `lost` and `unknown`. */
const report = objectWith({
  done: items,
  failed: items,
  irreversible: items,
  lost: optional(items),
  unknown: optional(items),
});

/** The names of limits are checked when a turn is started with them. Null stands for Infinity. */
const limits = mapOf((value, at) => {
  if (value !== null) textOrNumber(value, at);
});

/** A record without its input and its rounds. */
const record = objectWith({
  id: textOf,
  status,
  retryOf: optional(textOf),
  options: optional(objectWith({ limits: optional(limits) })),
  effects: items,
  unknown: optional(items),
  stays: optional(listWith(objectWith({ ...itemFields, turnId: textOf }))),
  outcome: objectWith({
    status,
    report: optional(report),
    error: optional(objectWith({ code: textOf, message: textOf, details: objectOf })),
  }),
  undo: optional(
    objectWith({
      state: oneOf('undone', 'partly-undone', 'redone', 'partly-redone'),
      report,
      by: optional(oneOf('branch')),
    }),
  ),
});

/** A `ToolCallView`: unlike a call in a message it has a state, and may have a result. */
const call = objectWith({
  id: textOf,
  tool: textOf,
  argumentsText: textOf,
  state: textOf,
  result: optional(objectWith({ outcome: textOf, content: listOf })),
  late: optional(objectOf),
});

/**
 * Returns a checked copy of the record of a turn that has ended, and whose parent and messages the caller has. Throws
 * `invalid-configuration`, naming the place.
 */
export function readRecord(value: unknown, at: string): Omit<TurnRecord, 'messageIds' | 'parentId'> {
  const { input, rounds, ...rest } = objectOf(value, at);
  const turn = copyOf(rest, at);
  record(turn, at);
  const { outcome, undo } = turn;
  return {
    ...turn,
    outcome: withWholeReport(outcome as JsonObject),
    ...(undo === undefined ? {} : { undo: withWholeReport(undo as JsonObject) }),
    input: readMessage(input, `${at}.input`),
    rounds: listOf(rounds, `${at}.rounds`).map((round, number) =>
      readRound(round, `${at}.rounds[${number}]`),
    ),
  } as unknown as Omit<TurnRecord, 'messageIds' | 'parentId'>;
}

/** Adds the lists that the report of an older release does not have. */
function withWholeReport(object: JsonObject): JsonObject {
  if (object.report === undefined) return object;
  return { ...object, report: { lost: [], unknown: [], ...(object.report as JsonObject) } };
}

function readRound(value: unknown, at: string): RoundRecord {
  const { parts, ...rest } = objectOf(value, at);
  const copies = listOf(parts, `${at}.parts`).map((part, position) => {
    const partAt = `${at}.parts[${position}]`;
    const given = objectOf(part, partAt);
    if (given.type === 'tool-call') return readCall(part, partAt);
    return given.type === 'steering' ? readSteering(given, partAt) : readPart(part, partAt);
  });
  return { ...copyOf(rest, at), parts: copies } as unknown as RoundRecord;
}

function readSteering({ message }: { readonly [field: string]: unknown }, at: string): TurnPart {
  const read = readMessage(message, `${at}.message`);
  if (read.role !== 'user') wrong(`${at}.message.role`, 'it is not user');
  return { type: 'steering', message: read };
}

function readCall(value: unknown, at: string): JsonObject {
  const copy = copyOf(objectOf(value, at), at);
  call(copy, at);
  for (const field of ['id', 'tool']) if (copy[field] === '') wrong(`${at}.${field}`, 'it is empty');
  return copy;
}
