import { deepFreeze } from '@banister/provider/internal/json/json';
import {
  filled,
  flag,
  oneOf,
  orNull,
  reader,
  text,
  wrong,
  type Fields,
} from '@banister/provider/internal/json/shape';
import { compactionFields } from './read-compaction.js';
import { identity, partOf, readMessage, result, sharedParts } from './read-message.js';
import { count, each, list, map, record, some, textOrNumber, variant } from './saved-shape.js';
import { withArguments } from './saved-turn.js';
import { callsOf, type ChildTurn, type ToolCallView, type TurnRecord } from './turn-record.js';

const ended = ['completed', 'stopped', 'cancelled', 'failed'];
const itemFields = { toolCallId: text, toolName: text, description: text };
const itemOwner = { child: filled };
const items = list(record(itemFields, itemOwner));
const failures = list(record(itemFields, { ...itemOwner, because: record({ code: text }) }));
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
    // A function, because the shape of a child turn contains the shape of a call.
    children: (value) => readChildren(value, ''),
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

const required: Fields = {
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
        stop: record({}, { limit: record({ code: text, details: object }), above: flag }),
        error: record({ code: text, message: text, details: object }),
      },
    ),
  ),
};
const possible: Fields = {
  retryOf: text,
  from: record({ task: text }),
  // The names of limits and the tool choice are checked when a turn is started with these options. Null stands for Infinity.
  options: record({}, { limits: map(orNull(textOrNumber)), use: list(filled) }),
  structured: record({ schema: object }, { afterWork: flag }),
  activated: list(filled),
  rejected: items,
  unknown: items,
  switches: list(record({ round: count, from: identity, to: identity, code: text, reason: text })),
  compactions: list(record(...compactionFields)),
  stays: list(record({ ...itemFields, turnId: text }, itemOwner)),
  undo: record(
    { state: oneOf('undone', 'partly-undone', 'redone', 'partly-redone'), report },
    { by: oneOf('branch') },
  ),
};

/** Reads the record of a turn. */
export const readRecord = record<Omit<TurnRecord, 'messageIds'>>(required, possible);

const number = reader((value): value is number => typeof value === 'number', 'it is no number');
const line = record({ spent: number, left: orNull(number) });

const childRecord = record<ChildTurn>(
  {
    ...required,
    messageIds: list(text),
    agent: filled,
    key: text,
    phase: text,
    usage: orNull(object),
    budget: record({ rounds: line, toolCalls: line, timeMs: line, tokens: line, cost: line }),
  },
  { ...possible, title: filled, given: flag, thread: text, shortened: flag, messages: list(readMessage) },
);

const readChildren = some<ChildTurn>((value) => {
  const child = childRecord(value, '');
  checkOutcome(child);
  if ((child.status === 'running') === (child.phase === 'idle')) wrong('phase', 'it does not fit the status');
  return child;
});

/** Checks that a turn has an outcome only after its end, and that none of its child turns runs longer than its call. Throws a `Mismatch`. */
export function checkOutcome({ status, outcome, rounds }: Omit<TurnRecord, 'messageIds'>): void {
  if ((status === 'running') !== (outcome === null)) wrong('outcome', 'it does not fit the status');
  each('rounds', rounds, (round) => {
    for (const { state, children = [] } of callsOf(round))
      if (status !== 'running' || state === 'settled')
        for (const child of children)
          if (child.status === 'running')
            wrong('', `child turn ${child.id} is running, but its call has ended`);
  });
}
