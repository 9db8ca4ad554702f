import type { Message } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { catchError, defer, EMPTY, of, throwError, type Observable } from 'rxjs';
import { messagesTokens } from '../conversation/context-tokens.js';
import { isLimitError } from '../limits/spending.js';
import type { ContextCompacted } from './compaction-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';
import { concat } from '../turn/concat.js';
import { requestTokens } from '../turn/context-size.js';
import { hooked, permittedStep } from '../turn/doors.js';
import type { FeatureTurn, HookStages } from '../turn/turn-parts.js';
import { written } from '../turn/written.js';
import { compactedMessages } from './compacted-messages.js';
import type { CompactionSetting } from './compaction.js';
import { lastWritten } from './last-written.js';
import {
  keptOf,
  planCompaction,
  summaryEnd,
  type CompactedRequest,
  type CompactionPlan,
} from './plan-compaction.js';
import { readSummary, type SummaryAnswer } from './read-summary.js';
import { summaryRequest } from './summary-request.js';

/** The limits of the tokens of a summary. A summary may have a quarter of the wanted size, if there is room. */
const FEWEST_TOKENS = 256;
const MOST_TOKENS = 2_000;
/** A summary with fewer tokens would say almost nothing. */
const LEAST_ROOM = 64;
const NO_ROOM = 'the role, the tools and the last messages leave no room for a summary';

/** The wanted size of the next request. */
export interface CompactionGoal {
  /** The wanted size, in estimated tokens. */
  readonly tokens: number;
  /** The highest number of tokens of the request including a summary, if the summary does not fit into the wanted size. */
  readonly most: number;
  /** The lowest number of tokens that a compaction must save. */
  readonly least: number;
  /** The highest number of estimated tokens of the transcript from which the model writes the summary. */
  readonly transcript: number;
}

/** One compaction: what it compacts, and how far. */
interface Work extends CompactedRequest {
  readonly turn: FeatureTurn;
  readonly setting: CompactionSetting;
  readonly id: string;
  /** The estimated tokens of the request before the compaction, and the part of them that is not messages. */
  readonly before: number;
  readonly overhead: number;
  /** The wanted size of the messages. */
  readonly target: number;
  readonly goal: CompactionGoal;
  readonly plan: CompactionPlan;
}

/** A summary that the model shall write. */
interface WantedSummary {
  /** The id of the last message that the summary covers. */
  readonly end: string;
  /** The highest number of tokens that the model may write. */
  readonly tokens: number;
  /** The highest number of estimated tokens of the messages including the summary. */
  readonly most: number;
}

/**
 * Compacts the conversation. First it uses the steps that need no model. If these shorten more than results, it then requests a summary. If
 * there is no summary, the steps stay. Completes without a fact if nothing can be saved. A cancel or a limit of the turn aborts the
 * summary.
 */
export function compactConversation(
  turn: FeatureTurn,
  setting: CompactionSetting,
  goal: CompactionGoal,
): Observable<TurnFact> {
  return defer(() => {
    const work = workOf(turn, setting, goal);
    if (work === null) return EMPTY;
    const wanted = setting.summary ? wantedSummary(work) : null;
    const stripped = strippedFact(work);
    if (wanted === null) return of(stripped);
    if (wanted === NO_ROOM) return of(saysNoRoom(turn) ? stripped : { ...stripped, failure: NO_ROOM });
    return concat(of({ ...stripped, summarizing: true } as const), summarized(work, wanted));
  });
}

type Compacted = Pick<SessionState, 'conversation' | 'compactions'>;

/**
 * Returns the messages of the next request.
 *
 * @param redact called before texts are shortened, because a filter of requests could not recognise half of a secret. To measure the size
 *   it is not needed
 */
export function messagesOf(
  { conversation: { messages }, compactions }: Compacted,
  redact: HookStages['redact'] = null,
): readonly Message[] {
  if (redact === null) return compactedMessages(messages, compactions);
  // A summary may have been written before the filter was added.
  return compactedMessages(messages.map(redact), compactions).map((message) =>
    message.kind === 'summary' ? redact(message) : message,
  );
}

/**
 * Returns the tokens of the next request. A server that keeps a part of the messages may count fewer tokens than the messages have, so the
 * larger number is used.
 */
export function requestSize(turn: FeatureTurn): number {
  return Math.max(requestTokens(turn), messagesTokens(messagesOf(turn.state())));
}

function workOf(turn: FeatureTurn, setting: CompactionSetting, goal: CompactionGoal): Work | null {
  const messages = messagesOf(turn.state());
  const size = messagesTokens(messages);
  const before = requestSize(turn);
  const target = Math.max(0, goal.tokens - (before - size));
  const state = turn.state();
  const inputId = state.liveTurn?.input.id ?? null;
  const request = { messages, inputId, writtenId: lastWritten(state) };
  const plan = planCompaction(request, target);
  if (plan === null || size - plan.tokens < goal.least) return null;
  const id = turn.ports.ids.next('mark');
  return { ...request, turn, setting, id, before, overhead: before - size, target, goal, plan };
}

/** Returns the fact of the steps that need no model. */
function strippedFact({ turn, id, before, overhead, plan }: Work): ContextCompacted {
  const { upTo, kept, stripped, tokens } = plan;
  return {
    type: 'contextCompacted',
    id,
    upTo,
    kept,
    stripped,
    tokens: { before: Math.round(before), after: Math.round(overhead + tokens) },
    last: turn.current().conversation.messages.at(-1)!.id,
  };
}

/** Returns the summary to request; null if none is needed, or if it would save nothing. */
function wantedSummary(work: Work): WantedSummary | typeof NO_ROOM | null {
  const { plan, target, messages, goal, overhead } = work;
  if (plan.stripped.calls === undefined) return null;
  const usual = Math.min(MOST_TOKENS, Math.max(FEWEST_TOKENS, Math.round(target / 4)));
  // A summary can also cover messages that the plan leaves out.
  const end = summaryEnd(work, Math.max(0, target - usual))!;
  const rest = messagesTokens(compactedMessages(messages, [summaryMark(work, end, '')]));
  const hasRoom = rest + FEWEST_TOKENS <= target;
  const most = hasRoom ? target : Math.max(target, plan.tokens, goal.most - overhead);
  const room = most - rest;
  if (room < LEAST_ROOM) return NO_ROOM;
  if (messagesTokens(coveredBy(messages, end)) <= usual) return null;
  return { end, tokens: Math.floor(Math.min(usual, room)), most };
}

/** Returns the parts of a mark with a summary. The summary also covers an earlier mark. */
function summaryMark(work: Work, end: string, summary: string) {
  return { id: work.id, upTo: end, kept: keptOf(work), summary };
}

/** Returns true if a mark of the path already says that there is no room. Every further mark would say the same. */
function saysNoRoom({ state }: FeatureTurn): boolean {
  return state().compactions.some(({ failure }) => failure === NO_ROOM);
}

function coveredBy(messages: readonly Message[], end: string): readonly Message[] {
  return messages.slice(0, messages.findIndex(({ id }) => id === end) + 1);
}

function summarized(work: Work, wanted: WantedSummary): Observable<TurnFact> {
  const { turn, setting, id, goal } = work;
  // The state without the mark of this compaction.
  const before = turn.state();
  const requestOf = (messages: readonly Message[]) =>
    summaryRequest(
      { id, agent: turn.agent?.id },
      coveredBy(messages, wanted.end),
      goal.transcript,
      wanted.tokens,
    );
  let request = requestOf(work.messages);
  return concat(
    hooked(turn, ({ redact, beforeRequest }) => {
      // Messages are redacted before their lines are shortened.
      request = requestOf(messagesOf(before, redact));
      return beforeRequest(turn, request, (sent) => (request = sent));
    }),
    // The mark is stored before the request for the summary costs money.
    written(turn),
    permittedStep(turn),
    defer(() =>
      readSummary(turn, request, setting.summaryTimeoutMs, (answer) => endFact(work, wanted, answer)),
    ),
  ).pipe(
    turn.cancellation.untilCancelled(),
    catchError((error: unknown) => {
      const isEnd = turn.cancellation.level !== null || (isAgentSessionError(error) && isLimitError(error));
      if (isEnd || isStorage(error)) return throwError(() => error);
      return of(endFact(work, wanted, { failure: messageOf(error), usage: null }));
    }),
  );
}

function isStorage(error: unknown): boolean {
  return isAgentSessionError(error) && error.code === 'storage';
}

/** Returns the fact that ends the compaction: with the summary if it fits, otherwise with the steps. */
function endFact(work: Work, { end, most }: WantedSummary, answer: SummaryAnswer): ContextCompacted {
  const { messages, overhead } = work;
  const stripped = strippedFact(work);
  // Inside a turn, the usage counts for the turn.
  const usage = work.inputId === null ? (answer.usage ?? undefined) : undefined;
  if ('failure' in answer) return defined({ ...stripped, failure: answer.failure, usage });
  const covered = summaryMark(work, end, answer.summary);
  const tokens = messagesTokens(compactedMessages(messages, [covered]));
  if (tokens > most) return defined({ ...stripped, failure: 'the summary is too long', usage });
  const { stripped: _stripped, ...rest } = stripped;
  const size = { before: stripped.tokens.before, after: Math.round(overhead + tokens) };
  return defined({ ...rest, ...covered, tokens: size, usage });
}
