import type { JsonValue, ToolResult } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { RejectionReason, ToolCallView } from '../conversation/turn-record.js';
import { domainOf } from '../conversation/tool-id.js';
import { callKey } from '../operations/call-key.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import { append, set, type Change } from './change.js';
import { workPhase } from '../extension/extension-handlers.js';
import type { AllHandlers } from './handlers.js';
import { initialParser, readPartialJson } from './partial-json.js';
import type { FoldState } from './session-state.js';
import { afterCut, afterReturn, afterStart, withoutCall } from './revision-notes.js';
import { openParts, openPartsPath, partPath } from './round-handlers.js';
import { isCancelling, noteRevisions, noteRound, noteTurn, type TurnNotes } from './turn-notes.js';

export const toolHandlers = {
  toolCallPartial: (state, { callId, providerCallId, tool, title, hosted, index, delta }) => {
    // A call without a parser is new, so it is not searched.
    const known = state.fold.parsers[index] === undefined ? undefined : callAt(state, callId);
    const changes: Change[] = [];
    const position = known?.position ?? openParts(state).length;
    if (known === undefined) {
      const call: ToolCallView = {
        type: 'tool-call',
        id: callId,
        ...(providerCallId === undefined ? {} : { providerCallId }),
        tool,
        ...(title === undefined ? {} : { title }),
        ...(hosted ? { hosted } : {}),
        index,
        state: 'assembling',
        argumentsText: delta,
      };
      changes.push(append(openPartsPath(state), call));
      if (state.fold.turn?.round?.answered)
        changes.push(
          set(['fold', 'turn', 'round', 'answered'], false),
          append(['fold', 'turn', 'round', 'opensMessage'], callId),
        );
    } else changes.push(append(partPath(state, position, 'argumentsText'), delta));
    const parser = state.fold.parsers[index] ?? initialParser;
    const next = readPartialJson(parser, delta, partPath(state, position, 'arguments'), changes);
    changes.push(set(['fold', 'parsers', index], next));
    return changes;
  },

  toolsRequested: (state, { calls, inner }) => [
    ...workPhase(state, 'executing'),
    ...(inner ? [set(['fold', 'innerCall'], true)] : []),
    ...noteRound(state, ({ innerCalls, unparsable }) => ({
      ...(inner ? { innerCalls: [...innerCalls, ...calls.map((call) => call.callId)] } : {}),
      unparsable: [
        ...unparsable,
        ...calls.filter((call) => call.arguments === null).map((call) => call.callId),
      ],
    })),
    ...noteTurn(state, ({ repeated }) => ({ repeated: counted(repeated, calls) })),
    ...calls.flatMap(({ callId, arguments: parsed }) => {
      return atCall(state, callId, ({ position }) => [
        set(partPath(state, position, 'state'), 'waiting'),
        ...(parsed === null ? [] : [set(partPath(state, position, 'arguments'), parsed)]),
      ]);
    }),
  ],

  guardDecided: (state, { callId, grant }) =>
    grant === undefined ? [] : partChange(state, callId, 'grant', () => grant),

  toolsRejected: (state, { calls }) =>
    calls.flatMap(({ callId, result, reason }) => settled(state, callId, result, reason)),

  toolStarted: (state, operation) => {
    const { callId, tool, arguments: args, edited, replacedBy, readOnly, revision, budget } = operation;
    return atCall(state, callId, ({ position }) => [
      set(['phase'], isCancelling(state) ? 'cancelling' : 'executing'),
      set(partPath(state, position, 'state'), 'executing'),
      ...(edited || replacedBy !== undefined ? [set(partPath(state, position, 'ranWith'), args)] : []),
      set(['budget'], budget),
      ...(readOnly
        ? [set(partPath(state, position, 'readOnly'), true)]
        : noteRevisions(state, (notes) => afterStart(notes, callId, domainOf(tool), revision))),
    ]);
  },

  toolProgress: (state, { callId, patch }) =>
    partChange(state, callId, 'progress', ({ progress }) => merged(progress, patch)),

  changesUnattributed: (state, { callId, paths }) =>
    partChange(state, callId, 'unattributed', ({ unattributed = [] }) => [...unattributed, ...paths]),

  toolCompleted: (state, { callId, outcome, result, revision, budget }) =>
    atCall(state, callId, ({ call }) => {
      const key = keyOf(state, call);
      const part = result.content.findLast((content) => content.type === 'text');
      const stop = { kind: 'tool', message: part?.text ?? '' } as const;
      return [
        ...settled(state, callId, result),
        set(['budget'], budget),
        ...noteRevisions(state, (notes) => afterReturn(notes, callId, domainOf(call.tool), revision)),
        ...noteTurn(state, ({ repeated, ending }) => ({
          // A success may change the results of all other calls, so their counts start again.
          repeated: { [key]: repeated[key] ?? 0 },
          ending: outcome === 'stop' ? (ending ?? { kind: 'stopped', stop }) : ending,
        })),
      ];
    }),

  toolFailed: (state, { callId, outcome, result, revision, budget }) =>
    atCall(state, callId, ({ call: { tool } }) => [
      ...settled(state, callId, result),
      set(['budget'], budget),
      ...noteRevisions(state, (notes) =>
        outcome === 'timed-out'
          ? afterCut(notes, callId, domainOf(tool))
          : afterReturn(notes, callId, domainOf(tool), revision),
      ),
    ]),

  toolInterrupted: (state, { callId, decision, result }) =>
    atCall(state, callId, ({ call, position }) => [
      ...(result === undefined
        ? [set(partPath(state, position, 'state'), 'waiting')]
        : settled(state, callId, result, decision === 'not-started' ? 'not-run' : undefined)),
      // In every other case the call stays in the notes: its executor was called, and may still act, even if its result was given up.
      ...(decision === 'not-started'
        ? noteRevisions(state, (notes) => withoutCall(notes, callId, domainOf(call.tool)))
        : []),
    ]),
} satisfies Partial<AllHandlers>;

/** Returns the counts of equal calls, including the calls of a batch. */
function counted(repeated: TurnNotes['repeated'], calls: readonly RequestedCall[]): TurnNotes['repeated'] {
  const counts = { ...repeated };
  for (const call of calls) {
    const key = callKey(call);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Returns the key of a call from the arguments that were parsed when it was requested. */
function keyOf(state: FoldState, { id, tool, argumentsText, arguments: parsed }: ToolCallView): string {
  const isUnparsable = state.fold.turn?.round?.unparsable.includes(id) ?? false;
  return callKey({
    tool,
    argumentsText,
    arguments: isUnparsable || !isJsonObject(parsed) ? null : parsed,
  });
}

function settled(
  state: FoldState,
  callId: string,
  result: ToolResult,
  rejection?: RejectionReason,
): readonly Change[] {
  return atCall(state, callId, ({ position }) => [
    set(partPath(state, position, 'state'), 'settled'),
    set(partPath(state, position, 'result'), result),
    ...(rejection === undefined ? [] : [set(partPath(state, position, 'rejection'), rejection)]),
    // After a call inside an answer, the model continues the answer.
    ...(state.fold.innerCall
      ? [
          set(['fold', 'innerCall'], false),
          ...workPhase(state, isCancelling(state) ? 'cancelling' : 'streaming'),
          ...noteRound(state, () => ({ answered: true })),
        ]
      : []),
  ]);
}

/** Returns the changes of a call; no changes if the call is unknown. */
function atCall(
  state: FoldState,
  callId: string,
  changes: (known: NonNullable<ReturnType<typeof callAt>>) => readonly Change[],
): readonly Change[] {
  const known = callAt(state, callId);
  return known === undefined ? [] : changes(known);
}

/** Returns the change of one field of a call. */
function partChange(
  state: FoldState,
  callId: string,
  field: 'grant' | 'progress' | 'unattributed',
  valueOf: (call: ToolCallView) => JsonValue,
): readonly Change[] {
  return atCall(state, callId, ({ call, position }) => [
    set(partPath(state, position, field), valueOf(call)),
  ]);
}

function merged(progress: JsonValue | undefined, patch: JsonValue): JsonValue {
  return isJsonObject(progress) && isJsonObject(patch) ? { ...progress, ...patch } : patch;
}

/** For each list of parts, the position at which a call was last found. Searches begin there; this changes only their speed. */
const latestPositions = new WeakMap<object, number>();

/** Finds a call of the open round. The search begins at the last found call, because successive operations concern adjacent calls. */
export function callAt(
  state: FoldState,
  callId: string,
): { call: ToolCallView; position: number } | undefined {
  const parts = openParts(state);
  const start = Math.min(latestPositions.get(parts) ?? 0, parts.length - 1);
  const found = (position: number) => {
    const call = parts[position];
    if (call?.type !== 'tool-call' || call.id !== callId) return undefined;
    if (position !== start) latestPositions.set(parts, position);
    return { call, position };
  };
  for (let distance = 0; distance < parts.length; distance++) {
    const known = found(start + distance) ?? found(start - distance);
    if (known !== undefined) return known;
  }
  return undefined;
}
