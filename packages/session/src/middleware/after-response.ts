import { sentence } from '@banister/provider/internal/errors/sentence';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { EMPTY, of, type Observable } from 'rxjs';
import type { TurnPart } from '../conversation/turn-record.js';
import { fromAsync } from '../operations/from-async.js';
import type { AnswerWithheld } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { batchOf, requestedCall, requestedIn } from '../state/round-calls.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { actedAt, actedFact, type With } from './hook-place.js';
import type { AnswerVerdict, ModelAnswer } from './middleware.js';
import { readAnswerVerdict } from './read-verdicts.js';

/** Passes the answer of the open round to the hooks, until a hook withholds it. */
export function afterResponse(
  turn: FeatureTurn,
  list: readonly With<'afterResponse'>[],
): Observable<TurnFact> {
  if (isSeen(turn)) return EMPTY;
  return fromAsync<TurnFact>(async (facts) => {
    const caller = new HookCaller(turn, facts);
    const answer = answerOf(turn);
    for (const middleware of list) {
      const called = caller.call((context) => middleware.afterResponse(answer, context), readAnswerVerdict);
      const result = called instanceof Promise ? await called : called;
      const isUnchecked = 'failed' in result;
      const verdict = isUnchecked
        ? { withhold: sentence(`The answer could not be checked by "${middleware.name}": ${result.failed}`) }
        : result.answer;
      if (verdict === null) continue;
      facts.next(withheld(turn, middleware.name, verdict, isUnchecked ? 'unchecked' : undefined));
      return;
    }
    facts.next(actedFact('afterResponse', []));
  });
}

/** Withholds an answer that a limit interrupted before any hook received it, because its text would join the conversation. */
export function unseenAnswer(
  turn: FeatureTurn,
  [first]: readonly With<'afterResponse'>[],
): Observable<TurnFact> {
  if (first === undefined || isSeen(turn)) return EMPTY;
  const verdict = { withhold: 'The answer was cut before it could be checked.' };
  return of(withheld(turn, first.name, verdict, 'cut'));
}

/** Returns true if the hooks have received the answer of the open round, or if there is no answer. */
function isSeen(turn: FeatureTurn): boolean {
  const { round } = turn.current().fold.turn ?? {};
  if (!round || round.withheld || round.appended || actedAt(turn, 'afterResponse').length > 0) return true;
  return round.finish === null && partsOf(turn).length === 0;
}

/**
 * A complete answer is read without copying the state. For an interrupted answer, the last text may be missing in the current state, so the
 * copy is read.
 */
function partsOf({ state, current }: Pick<FeatureTurn, 'state' | 'current'>): readonly TurnPart[] {
  const isWhole = (current().fold.turn?.round?.finish ?? null) !== null;
  return (isWhole ? current() : state()).liveTurn?.rounds.at(-1)?.parts ?? [];
}

function answerOf(turn: FeatureTurn): ModelAnswer {
  const parts = partsOf(turn);
  const calls = batchOf(turn.current());
  const all = requestedIn(turn.current());
  const textOf = (type: 'text' | 'thinking') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('');
  return deepFreeze({
    text: textOf('text'),
    thinking: textOf('thinking'),
    calls: calls.map(requestedCall),
    innerCalls: all.filter((call) => !calls.includes(call)).map(requestedCall),
    finish: turn.current().fold.turn?.round?.finish?.reason ?? null,
  });
}

/**
 * Returns the fact that the answer is withheld. The answer is requested again at most once per turn, and only if the limits permit a round.
 */
function withheld(
  { current, spending }: FeatureTurn,
  middleware: string,
  { withhold: reason, again }: Exclude<AnswerVerdict, 'keep'>,
  because?: AnswerWithheld['because'],
): TurnFact {
  const notes = current().fold.turn;
  // A tool that stopped the turn, or a limit, has already decided how the turn ends.
  const mayAsk =
    notes?.askedAgain === undefined && notes?.ending?.kind !== 'stopped' && spending.permitsRound;
  return defined({
    type: 'answerWithheld',
    round: spending.rounds,
    middleware,
    reason,
    because,
    again: mayAsk ? again : undefined,
  });
}
