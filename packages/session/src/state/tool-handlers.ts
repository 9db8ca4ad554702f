import type { RejectionReason, ToolCallView } from '../conversation/turn-record.js';
import type { ToolResult } from '../conversation/content.js';
import { isJsonObject, type JsonValue } from '../json/json.js';
import type { ToolOperation } from '../operations/tool-operations.js';
import { append, set, type Change } from './change.js';
import type { Handlers, UndoType } from './handlers.js';
import { initialParser, readPartialJson } from './partial-json.js';
import type { FoldState } from './session-state.js';
import { openParts, openPartsPath, partPath } from './round-handlers.js';

export const toolHandlers: Handlers<Exclude<ToolOperation['type'], UndoType>> = {
  toolCallPartial: (state, { callId, providerCallId, tool, index, delta }) => {
    // A call without a parser is new: no search is needed.
    const known = state.fold.parsers[index] === undefined ? undefined : callAt(state, callId);
    const changes: Change[] = [];
    const position = known?.position ?? openParts(state).length;
    if (known === undefined) {
      const call: ToolCallView = {
        type: 'tool-call',
        id: callId,
        ...(providerCallId === undefined ? {} : { providerCallId }),
        tool,
        index,
        state: 'assembling',
        argumentsText: delta,
      };
      changes.push(append(openPartsPath(state), call));
    } else changes.push(append(partPath(state, position, 'argumentsText'), delta));
    const parser = state.fold.parsers[index] ?? initialParser;
    const next = readPartialJson(parser, delta, partPath(state, position, 'arguments'), changes);
    changes.push(set(['fold', 'parsers', index], next));
    return changes;
  },

  toolsRequested: (state, { calls, inner }) => [
    set(['phase'], 'executing'),
    ...(inner ? [set(['fold', 'innerCall'], true)] : []),
    ...calls.flatMap(({ callId, arguments: parsed }) => {
      const known = callAt(state, callId);
      if (known === undefined) return [];
      const { position } = known;
      return [
        set(partPath(state, position, 'state'), 'waiting'),
        ...(parsed === null ? [] : [set(partPath(state, position, 'arguments'), parsed)]),
      ];
    }),
  ],

  guardDecided: () => [],

  toolsRejected: (state, { calls }) =>
    calls.flatMap(({ callId, result, reason }) => settled(state, callId, result, reason)),

  toolStarted: (state, { callId, arguments: args, edited, budget }) => {
    const known = callAt(state, callId);
    if (known === undefined) return [];
    const { position } = known;
    return [
      set(['phase'], state.fold.cancelling ? 'cancelling' : 'executing'),
      set(partPath(state, position, 'state'), 'executing'),
      ...(edited ? [set(partPath(state, position, 'ranWith'), args)] : []),
      set(['budget'], budget),
    ];
  },

  toolProgress: (state, { callId, patch }) => {
    const known = callAt(state, callId);
    if (known === undefined) return [];
    return [set(partPath(state, known.position, 'progress'), merged(known.call.progress, patch))];
  },

  toolCompleted: (state, { callId, result, budget }) => [
    ...settled(state, callId, result),
    set(['budget'], budget),
  ],
  toolFailed: (state, { callId, result, budget }) => [
    ...settled(state, callId, result),
    set(['budget'], budget),
  ],
};

function settled(
  state: FoldState,
  callId: string,
  result: ToolResult,
  rejection?: RejectionReason,
): readonly Change[] {
  const known = callAt(state, callId);
  if (known === undefined) return [];
  const { position } = known;
  return [
    set(partPath(state, position, 'state'), 'settled'),
    set(partPath(state, position, 'result'), result),
    ...(rejection === undefined ? [] : [set(partPath(state, position, 'rejection'), rejection)]),
    // After a call inside an answer the model continues the answer.
    ...(state.fold.innerCall
      ? [
          set(['fold', 'innerCall'], false),
          set(['phase'], state.fold.cancelling ? 'cancelling' : 'streaming'),
        ]
      : []),
  ];
}

function merged(progress: JsonValue | undefined, patch: JsonValue): JsonValue {
  return isJsonObject(progress) && isJsonObject(patch) ? { ...progress, ...patch } : patch;
}

/** The position at which a call was found last. Searches begin there: it affects their time, not their result. */
let latestPosition = 0;

/** Finds a call of the open round. The search begins at the call that was found last, since operations concern adjacent calls. */
function callAt(state: FoldState, callId: string): { call: ToolCallView; position: number } | undefined {
  const parts = openParts(state);
  const start = Math.min(latestPosition, parts.length - 1);
  const found = (position: number) => {
    const call = parts[position];
    if (call?.type !== 'tool-call' || call.id !== callId) return undefined;
    latestPosition = position;
    return { call, position };
  };
  for (let distance = 0; distance < parts.length; distance++) {
    const known = found(start + distance) ?? found(start - distance);
    if (known !== undefined) return known;
  }
  return undefined;
}
