import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { catchError, defer, EMPTY, of, throwError, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { concat } from '../turn/concat.js';
import { requestTokens } from '../turn/context-size.js';
import { hooked } from '../turn/doors.js';
import type { FeatureTurn, CompactionStages, HookStages } from '../turn/turn-parts.js';
import { compactConversation, messagesOf, requestSize, type CompactionGoal } from './compact-conversation.js';
import { defaultCompaction, type CompactionSetting } from './compaction.js';

/** The share of the window that an automatic compaction must save; otherwise each round would try again. */
const LEAST_GAIN = 0.05;
/** The share of the window that the transcript for a summary may fill. */
const TRANSCRIPT = 0.75;

/** Returns the stages of a setting. With null, requests are built from the existing marks, and no mark is added. */
export function compactionStages(setting: CompactionSetting | null): CompactionStages {
  return {
    compact: (turn, withSummary) => {
      const given = setting ?? defaultCompaction;
      const used = withSummary ? given : { ...given, summary: false };
      const { contextWindow = 0 } = turn.settings.provider.capabilities ?? {};
      // The model accepted the conversation with its last request.
      const transcript = contextWindow > 0 ? TRANSCRIPT * contextWindow : requestSize(turn);
      return compactConversation(turn, used, { ...goalOf(turn, given), transcript });
    },
    askRound: (turn, ask) => {
      const send = (attempt: number) => {
        let redact: HookStages['redact'] = null;
        return concat(
          hooked(turn, (stages) => {
            ({ redact } = stages);
            return EMPTY;
          }),
          defer(() => ask(messagesOf(turn.state(), redact), attempt)),
        );
      };
      if (setting === null) return send(1);
      return concat(
        defer(() => beforeRequest(turn, setting)),
        send(1),
      ).pipe(catchError((error: unknown) => afterRefusal(turn, setting, send, error)));
    },
  };
}

/** Compacts if the request would fill too much of the window. */
function beforeRequest(turn: FeatureTurn, setting: CompactionSetting): Observable<TurnFact> {
  const { contextWindow } = turn.settings.provider.capabilities ?? {};
  if (!contextWindow || requestTokens(turn) < setting.at * contextWindow) return EMPTY;
  return compactConversation(turn, setting, {
    tokens: setting.to * contextWindow,
    most: setting.at * contextWindow,
    least: LEAST_GAIN * contextWindow,
    transcript: TRANSCRIPT * contextWindow,
  });
}

/** If the model refused the request as too long, compacts and sends a shorter request; otherwise errors with the same error. */
function afterRefusal(
  turn: FeatureTurn,
  setting: CompactionSetting,
  send: (attempt: number) => Observable<TurnFact>,
  error: unknown,
): Observable<TurnFact> {
  const failed = throwError(() => error);
  const isTooLong = isAgentSessionError(error) && error.code === 'context-length';
  const { compactions: before, fold } = turn.current();
  const { attempt, innerCalls } = fold.turn!.round!;
  // A call that ran inside the answer would run again.
  if (!isTooLong || turn.cancellation.level !== null || innerCalls.length > 0) return failed;
  const number = attempt + 1;
  const retrying = {
    type: 'retrying',
    attempt: number,
    maxAttempts: Math.max(number, turn.settings.limits.maxRetries + 1),
    delayMs: 0,
    reason: error.message,
    code: error.code,
  } as const;
  return concat(
    compactConversation(turn, setting, {
      ...goalOf(turn, setting),
      transcript: TRANSCRIPT * smallerOf(turn),
    }),
    defer(() =>
      turn.current().compactions === before ? failed : concat(of<TurnFact>(retrying), send(number)),
    ),
  );
}

/**
 * Returns the goal of a compaction that the size of the window did not cause: a share of the window or of the request, whichever is
 * smaller.
 */
function goalOf(turn: FeatureTurn, { at, to }: CompactionSetting): Omit<CompactionGoal, 'transcript'> {
  const size = smallerOf(turn);
  return { tokens: to * size, most: at * size, least: 0 };
}

/** Returns the estimated tokens of the request, or the tokens of the window if they are fewer. */
function smallerOf(turn: FeatureTurn): number {
  const { contextWindow = Infinity } = turn.settings.provider.capabilities ?? {};
  return Math.min(contextWindow || Infinity, requestSize(turn));
}
