import { filled, flag, list, oneOf, optional, orNull, text } from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { identity, partOf, readMessage, result, sharedParts } from './read-message.js';
import { count, map, record, some, textOrNumber, variant } from './saved-shape.js';

const ended = ['completed', 'stopped', 'cancelled', 'failed'];
const itemFields = { toolCallId: text, toolName: text, description: text };
const items = list(record(itemFields));
const failures = list(record({ ...itemFields, because: optional(record({ code: text })) }));
const report = record({
  done: items,
  failed: failures,
  irreversible: items,
  lost: items,
  unknown: items,
});
const object = record({});

/** Reads a part of a round. A call is a `ToolCallView`: unlike a call in a message it has a state, and may have a result. */
const part = variant('type', {
  ...sharedParts,
  'tool-call': record({
    id: filled,
    tool: filled,
    title: optional(filled),
    argumentsText: text,
    state: text,
    result: optional(record({ ...result, forUser: optional(text) })),
    late: optional(object),
    unattributed: optional(list(text)),
    readOnly: optional(flag),
  }),
  steering: record({
    message: variant('role', { user: record({ id: text, parts: some(partOf.user) }) }),
  }),
});

/** The fields of the record of a turn. */
export const turnFields = {
  id: text,
  input: readMessage,
  rounds: list(record({ parts: list(part) })),
  status: oneOf('running', ...ended),
  retryOf: optional(text),
  // The names of limits and the tool choice are checked when a turn is started with these options. Null stands for Infinity.
  options: optional(record({ limits: optional(map(orNull(textOrNumber))) })),
  structured: optional(record({ schema: object })),
  activated: optional(list(filled)),
  effects: items,
  rejected: optional(items),
  unknown: optional(items),
  switches: optional(list(record({ round: count, from: identity, to: identity, code: text, reason: text }))),
  compactions: optional(list(record(compactionFields))),
  stays: optional(list(record({ ...itemFields, turnId: text }))),
  outcome: orNull(
    record({
      status: oneOf(...ended),
      empty: optional(flag),
      report: optional(report),
      stop: optional(record({ limit: optional(record({ code: text, details: record({}) })) })),
      error: optional(record({ code: text, message: text, details: object })),
    }),
  ),
  undo: optional(
    record({
      state: oneOf('undone', 'partly-undone', 'redone', 'partly-redone'),
      report,
      by: optional(oneOf('branch')),
    }),
  ),
};
