import { deepFreeze } from '@banister/provider/internal/json/json';
import { filled, flag, oneOf, orNull, text } from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { identity, partOf, readMessage, result, sharedParts } from './read-message.js';
import { count, list, map, record, some, textOrNumber, variant } from './saved-shape.js';
import { withArguments } from './saved-turn.js';
import type { ToolCallView, TurnRecord } from './turn-record.js';

const ended = ['completed', 'stopped', 'cancelled', 'failed'];
const itemFields = { toolCallId: text, toolName: text, description: text };
const items = list(record(itemFields));
const failures = list(record(itemFields, { because: record({ code: text }) }));
const report = record({
  done: items,
  failed: failures,
  irreversible: items,
  lost: items,
  unknown: items,
});
const object = record({});

const readCall = record<ToolCallView>(
  { id: filled, tool: filled, argumentsText: text, state: text },
  {
    title: filled,
    result: record(result, { forUser: text }),
    late: object,
    unattributed: list(text),
    readOnly: flag,
  },
);

/** Reads a part of a round. A call is a `ToolCallView`: unlike a call in a message it has a state, and may have a result. */
const part = variant('type', {
  ...sharedParts,
  'tool-call': (value) => deepFreeze(withArguments(readCall(value, ''))),
  steering: record({
    message: variant('role', { user: record({ id: text, parts: some(partOf.user) }) }),
  }),
});

/** Reads the record of a turn. */
export const readRecord = record<Omit<TurnRecord, 'messageIds'>>(
  {
    id: text,
    parentId: orNull(text),
    input: readMessage,
    rounds: list(record({ parts: list(part) })),
    status: oneOf('running', ...ended),
    effects: items,
    outcome: orNull(
      record(
        { status: oneOf(...ended) },
        {
          empty: flag,
          report,
          stop: record({}, { limit: record({ code: text, details: object }) }),
          error: record({ code: text, message: text, details: object }),
        },
      ),
    ),
  },
  {
    retryOf: text,
    from: record({ task: text }),
    // The names of limits and the tool choice are checked when a turn is started with these options. Null stands for Infinity.
    options: record({}, { limits: map(orNull(textOrNumber)) }),
    structured: record({ schema: object }),
    activated: list(filled),
    rejected: items,
    unknown: items,
    switches: list(record({ round: count, from: identity, to: identity, code: text, reason: text })),
    compactions: list(record(...compactionFields)),
    stays: list(record({ ...itemFields, turnId: text })),
    undo: record(
      { state: oneOf('undone', 'partly-undone', 'redone', 'partly-redone'), report },
      { by: oneOf('branch') },
    ),
  },
);
