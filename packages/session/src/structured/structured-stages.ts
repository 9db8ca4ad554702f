import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { Validate } from '@banister/schema';
import { catchError, defer, EMPTY, throwError, type Observable } from 'rxjs';
import type { StructuredOutput } from '../conversation/turn-record.js';
import { fromAsync } from '../operations/from-async.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnNotes } from '../state/turn-notes.js';
import type { LibrarySchema } from '../tools/tool.js';
import { concat, type Stage } from '../turn/concat.js';
import { hooked } from '../turn/doors.js';
import type { FeatureTurn, StructuredStages } from '../turn/turn-parts.js';
import { checkOutput, compileOutput, unfit } from './check-output.js';
import { invalidOutput, refusedOutput } from './output-error.js';
import { outputRequest, pieceOf } from './output-request.js';

export { transformed } from './check-output.js';

/** The stages of one turn with a structured output, and its output. */
interface Generation extends StructuredStages {
  /** Compiles the check of the output. Rejects with `invalid-configuration`. */
  prepare(ports: FeatureTurn['ports']): Promise<void>;
  /** The output in the form for the caller. Undefined until it is accepted, and if an earlier session accepted it. */
  readonly value: unknown;
}

/**
 * Returns the stages of the rounds that ask for the structured output of a turn.
 *
 * @param library the caller's schema if it comes from a library, otherwise null; null for a turn that an earlier session began
 */
export function structuredStages(requested: StructuredOutput, library: LibrarySchema | null): Generation {
  const { schema } = requested;
  let compiled: Validate | undefined;
  let value: unknown;
  const validateOf = async (ports: FeatureTurn['ports']) => (compiled ??= await compileOutput(schema, ports));
  const accept = (turn: FeatureTurn) =>
    fromAsync<TurnFact>(async (facts) => {
      const notes = notesOf(turn);
      if (isDecided(turn)) return;
      assertWhole(notes);
      const checked = await checkOutput(
        notes.round?.output ?? '',
        schema,
        await validateOf(turn.ports),
        library,
      );
      if (facts.closed) return;
      if (!checked.ok) {
        if (notes.repair !== undefined || !turn.spending.permitsRound) throw unfit(checked.issues);
        facts.next({ type: 'outputRejected', issues: checked.issues });
        return;
      }
      value = checked.value;
      facts.next({ type: 'outputAccepted', text: JSON.stringify(checked.json) });
    });
  return {
    requested,
    get value() {
      return value;
    },
    prepare: async (ports) => void (await validateOf(ports)),
    request: (turn, request) => outputRequest(turn, requested, request),
    pieceOf,
    errorOf: ({ output }, error) => (output === undefined ? error : refusedOutput(error)),
    answered: (turn) =>
      concat(
        accept(turn),
        defer(() => inspected(turn)),
      ).pipe(
        catchError((error: unknown) =>
          concat(
            said(turn, error),
            throwError(() => error),
          ),
        ),
      ),
  };
}

function notesOf({ current }: FeatureTurn): TurnNotes {
  return current().fold.turn!;
}

/** Returns true if the answer of the open round was already accepted or rejected, by this session or an earlier one. */
function isDecided(turn: FeatureTurn): boolean {
  const { round, repair } = notesOf(turn);
  return round?.accepted === true || repair?.round === turn.spending.rounds;
}

/** Throws for an answer that was cut or refused, whatever its text is. */
function assertWhole({ round }: TurnNotes): void {
  const stop = stopReasonOf(round?.finish?.reason ?? null, round?.finish?.detail);
  if (stop === null) return;
  throw invalidOutput(stop.kind, stop.message, { retry: stop.kind === 'length' ? 'after-action' : 'never' });
}

/**
 * If the answer of an agent is not a fitting output, makes it the text of its round. The middleware receives this text before the child turn
 * stops.
 */
function said(turn: FeatureTurn, error: unknown): Stage {
  const { fold, liveTurn } = turn.current();
  const { output = '', accepted } = fold.turn!.round!;
  const isUnfit = isAgentSessionError(error) && error.code === 'structured-output-invalid' && !accepted;
  if (turn.agent === undefined || !isUnfit || output === '') return [];
  const isSaid = liveTurn!.rounds.at(-1)!.parts.some(({ type }) => type === 'text');
  return [
    isSaid ? [] : { type: 'text', delta: output },
    hooked(turn, ({ afterResponse }) => afterResponse(turn)),
  ];
}

/** Passes the accepted output to the middleware, which may withhold it. Then there is no output. */
function inspected(turn: FeatureTurn): Observable<TurnFact> {
  if (notesOf(turn).round?.accepted !== true) return EMPTY;
  return concat(
    hooked(turn, ({ afterResponse }) => afterResponse(turn)),
    defer(() => {
      if (notesOf(turn).round?.withheld !== true) return EMPTY;
      throw invalidOutput('withheld', 'A middleware withheld the answer.', { retry: 'never' });
    }),
  );
}
