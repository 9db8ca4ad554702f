import { defined } from '@banister/provider/internal/json/defined';
import { importedTurn, importedTurns, importedUndo } from '../conversation/imported.js';
import { withEndedChildren } from '../conversation/interrupted-turn.js';
import { mapCalls } from '../conversation/map-calls.js';
import { callsOf, type ToolCallView, type TurnRecord } from '../conversation/turn-record.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { Operation } from '../operations/operation.js';
import { recordOf } from '../state/child-state.js';
import { fold } from '../state/fold.js';
import { requestedCall, requestedIn } from '../state/round-calls.js';
import { foldStateOf, sessionStateOf, type FoldState, type SessionState } from '../state/session-state.js';
import type { RoundNotes, TurnNotes } from '../state/turn-notes.js';
import type { UndoNote } from '../state/undo-note.js';
import { importedQuestion } from '../turn/imported-question.js';
import { interruptedFact } from '../turn/interrupted-fact.js';

/**
 * Returns the state of a log of unknown origin as a state with which a session can safely go on. The state keeps the messages, but nothing
 * that would act in this app on the word of the log's author. `importLog` of `@banister/storage/jsonl` stores it.
 *
 * The state has no grants and no mode. Its effects are `lost`. Each call of its interrupted turn that had not started is asked about here,
 * even if the log has an approval of it. A call that had started is answered as interrupted, and its child turns have ended with it, at
 * every depth. A turn has no limits, no tool choice and no directives of its own. Queued messages wait until `resumeQueue`, and their ids
 * may be given again.
 *
 * @example
 * const { state } = readLog(JSON.parse(await file.text()));
 * const restored = { snapshot: savedState(importedState(state)), records: [] };
 * const session = createAgentSession({ provider, domains, restored });
 */
export function importedState(state: SessionState): SessionState {
  const asked = withOpenQuestions(foldStateOf(withoutStarted(state)));
  const { fold, conversation, liveTurn, turns, queue, undoEntries } = asked;
  const { turn, undo, starting } = fold;
  const { aside, prefix, ...said } = importedTurns({ conversation, turns, ...fold });
  const all = starting === null ? queue : [starting, ...queue];
  // The child turns end with the import.
  const waiting = all.filter(({ child }) => child === undefined);
  return sessionStateOf({
    ...asked,
    ...said,
    liveTurn: liveTurn && importedTurn(withEndedChildren(liveTurn)),
    undoEntries: undoEntries.map(({ groups: _none, ...entry }) => ({
      ...entry,
      undoable: false,
      redoable: false,
    })),
    canUndo: false,
    canRedo: false,
    // A question of an agent is not asked again.
    phase:
      asked.phase === 'confirming' && asked.pendingConfirmations.length === 0 ? 'executing' : asked.phase,
    interrupted: null,
    grants: [],
    mode: null,
    pendingExtension: null,
    queue: waiting.map(({ id, input, from }) => defined({ id, input, from, steering: false })),
    queuePaused: waiting.length > 0,
    fold: {
      ...fold,
      turn: turn && importedNotes(turn),
      undo: undo.map(importedNote),
      undoing: null,
      redo: [],
      undoable: false,
      starting: null,
      given: {},
      prefix,
      aside,
    },
  });
}

function importedNote(note: UndoNote): UndoNote {
  return { ...note, undo: importedUndo(note.undo) };
}

/**
 * Returns the notes of the interrupted turn without its limits, without the extensions of the limits, and without decisions about its
 * calls.
 */
function importedNotes({ allowed: _allowed, ...turn }: TurnNotes): TurnNotes {
  const children = turn.children && {};
  return {
    ...defined({ ...turn, children }),
    limits: null,
    undo: importedNote(turn.undo),
    round: turn.round && undecided(turn.round),
  };
}

/** The middleware of the session that goes on has not seen the answer, and decides again. */
function undecided({ previewed: _previewed, acted: _acted, ...round }: RoundNotes): RoundNotes {
  return { ...round, approved: {}, refused: {}, imported: true };
}

/**
 * Answers the calls that had started as interrupted, at every depth, because they may have acted elsewhere. A tool of the provider runs only
 * with the next request.
 */
function withoutStarted(state: SessionState): SessionState {
  const { liveTurn, fold: notes } = foldStateOf(state);
  const turnId = liveTurn?.id ?? '';
  const children = Object.values(notes.turn?.children ?? {}).flatMap((child) =>
    interruptedIn(recordOf(foldStateOf(state), child)).map((inner) => ({
      type: 'subagent' as const,
      path: child.path,
      inner,
    })),
  );
  return fold(
    state,
    [...children, ...interruptedIn(liveTurn)].map((fact, index): Operation => ({
      ...fact,
      sequence: state.sequence + index + 1,
      at: 0,
      turnId,
    })),
  );
}

function interruptedIn(turn: TurnRecord | null) {
  return callsOf(turn?.rounds.at(-1))
    .filter(({ state }) => state === 'executing' || state === 'interrupted')
    .map(({ id, hosted }) => interruptedFact(id, hosted ? 'rerun' : 'unknown'));
}

/**
 * Opens again each question that was open or answered. If an answer's calls had not been requested yet, the answer is requested from the
 * model again: the model of this session decides then.
 */
function withOpenQuestions(state: FoldState): FoldState {
  const { liveTurn, fold, pendingConfirmations } = state;
  const round = fold.turn?.round;
  const requested = requestedIn(state);
  if (requested.some((call) => call.state === 'assembling') && round)
    return withOpenQuestions({
      ...state,
      fold: { ...fold, turn: { ...fold.turn!, ending: null, round: { ...round, finish: null } } },
    });
  const waiting = new Set(requested.filter((call) => call.state === 'waiting'));
  const asked = Array.from(waiting).flatMap((call): readonly ConfirmationRequest[] => {
    const open = pendingConfirmations.find((request) => request.call.id === call.id);
    const wasAsked = open !== undefined || Object.hasOwn({ ...round?.approved, ...round?.refused }, call.id);
    return wasAsked ? [questionAbout(call, open?.id ?? `confirmation-${call.id}`)] : [];
  });
  return {
    ...state,
    liveTurn: liveTurn && withoutDecisions(liveTurn, waiting),
    pendingConfirmations: asked,
  };
}

function withoutDecisions(turn: TurnRecord, waiting: ReadonlySet<unknown>): TurnRecord {
  return mapCalls(turn, (decided) => {
    if (!waiting.has(decided)) return decided;
    const { grant: _grant, ranWith: _ranWith, ...call } = decided;
    return call;
  });
}

/**
 * Returns the question in the words of this release, about the arguments with which the call would run. The session that asks adds its own
 * title and preview.
 */
function questionAbout(view: ToolCallView, id: string): ConfirmationRequest {
  const { callId, tool, arguments: args } = requestedCall(view);
  return {
    id,
    call: { id: callId, tool, arguments: args ?? {} },
    ...importedQuestion(tool),
    irreversible: false,
    expiresAt: null,
    answeredBy: 'signal',
  };
}
