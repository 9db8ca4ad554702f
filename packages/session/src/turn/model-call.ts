import type { AgentSessionError, Message, ProviderRequest } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { oneLine } from '@banister/provider/internal/messages/foreign-text';
import { isOwned } from '@banister/provider/internal/messages/unreadable-parts';
import { contextWindowOf } from '@banister/provider/internal/port/context-window';
import { catchError, throwError, type Observable } from 'rxjs';
import { noteMessage } from '../context/note-message.js';
import { withOutcomeNotes } from '../context/outcome-notes.js';
import { withoutReasoning } from '../context/without-reasoning.js';
import type { ModelCallStarted } from '../operations/model-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { DomainNote } from '../operations/turn-operations.js';
import { foldStateOf } from '../state/session-state.js';
import { Answer } from './answer.js';
import { concat, type Stage } from './concat.js';
import { tokensAfter } from './context-size.js';
import { hooked, permittedStep } from './doors.js';
import { memberOf, permitted, providerOf, switchAfter } from './members.js';
import { retryDelay } from './retry-delay.js';
import { checkAnswer, offeredTools } from './tool-choice.js';
import type { Round, Turn } from './turn-context.js';
import { wait } from './wait.js';

/**
 * Sends the request of a round and streams the answer. A failed attempt is repeated if no piece of its answer was visible.
 *
 * @param number the number of the first attempt
 */
export function callModel(turn: Turn, round: Round, number: number): Observable<TurnFact> {
  return concat(() => {
    const revisions = turn.revisions.now();
    turn.parts.gate?.requested();
    const built = buildRequest(turn, round);
    let request = turn.parts.structured?.request(turn, built) ?? built;
    return [
      hooked(turn, ({ beforeRequest }) => beforeRequest(turn, request, (sent) => (request = sent))),
      () => attempt(turn, round, { request, revisions }, { number, before: round.asking.before }),
    ];
  }).pipe(turn.cancellation.untilCancelled(() => round.innerCallRuns));
}

type RequestingTurn = Pick<Turn, 'id' | 'agent' | 'settings' | 'state' | 'tools' | 'discovery' | 'options'>;

/**
 * Returns the request: persona, live context, conversation with notes, tools. Only its parts are frozen, and the parts inside them are
 * already frozen. Otherwise the operation with the request would walk through all messages to freeze them.
 */
function buildRequest(turn: RequestingTurn, round: Round): ProviderRequest {
  const { role, lastLine, limits } = turn.settings;
  const { directives = [] } = turn.options ?? {};
  const { turns, liveTurn, fold } = foldStateOf(turn.state());
  const { askedAgain, unreadable, member } = fold.turn ?? {};
  const { messages: resolved } = round.resolved;
  const messages = withOutcomeNotes(
    unreadable === undefined ? resolved : withoutReasoning(resolved, unreadable.upTo),
    { turns, liveTurn, aside: fold.aside },
  );
  const asked =
    askedAgain?.round === round.number - 1 ? noteMessage(`${turn.id}-again`, askedAgain.note) : undefined;
  const request = defined({
    system: [
      role,
      directives.join('\n'),
      domainLines(turn, messages).join('\n'),
      round.contextLines.join('\n'),
      lastLine,
    ]
      .filter((block) => block !== '')
      .join('\n\n'),
    messages: Object.freeze(asked === undefined ? messages : [...messages, deepFreeze(asked)]),
    ...offeredTools(turn, round.number, messages),
    maxOutputTokens: limits.maxTokensPerRound === Infinity ? undefined : limits.maxTokensPerRound,
    agent: turn.agent?.id,
    // With the same key, a server could take the request of another member for a repetition.
    idempotencyKey: `${turn.id}${member === undefined ? '' : `-m${member.place}`}-${round.number}`,
  });
  return Object.freeze(request);
}

/** Returns the lines about the domains with a version or a summary; with staged discovery, the lines about all domains. */
function domainLines(
  { tools, discovery }: Pick<Turn, 'tools' | 'discovery'>,
  messages: readonly Message[],
): readonly string[] {
  if (discovery === null) return tools.notes.map((note) => domainLine(note));
  const lines = tools.domains.map(({ id }) =>
    domainLine(tools.notes.find((note) => note.id === id) ?? { id }, discovery.isActive(id)),
  );
  return [...lines, ...discovery.lines(messages)];
}

/** Returns the line that the model reads about a domain: `Domain board, version 2: Cards in columns.` */
function domainLine({ id, version, summary }: DomainNote, isActive = true): string {
  const name = [
    `Domain ${id}`,
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(isActive ? [] : ['not active']),
  ].join(', ');
  return oneLine(summary === undefined ? name : `${name}: ${summary}`);
}

/** A request, and the revisions of the domains when it was built. */
type BuiltRequest = Required<Pick<ModelCallStarted, 'request' | 'revisions'>>;

/** An attempt of a round. */
interface Attempt {
  /** 1-based. */
  readonly number: number;
  /** The number of attempts that do not count for the limit `maxRetries`. */
  readonly before: number;
}

function attempt(turn: Turn, round: Round, built: BuiltRequest, { number, before }: Attempt): Stage {
  const { ports } = turn;
  const { maxRetries } = turn.settings.limits;
  const answer = new Answer(turn, round);
  const { model } = providerOf(turn);
  const member = memberOf(turn);
  const repeat = (delayMs: number, { message: reason, code }: AgentSessionError, from: number) =>
    ({
      type: 'retrying',
      attempt: number + 1,
      maxAttempts: from + maxRetries + 1,
      delayMs,
      reason,
      code,
    }) as const;
  const request = concat(
    defined({ type: 'modelCallStarted', attempt: number, model, member, ...built } as const),
    answer.stream(built.request),
    () => {
      // An answer without an end was ended by a tool inside the answer.
      if (answer.end) checkAnswer(turn, round.number, answer.end.reason);
      return modelCallFinished(turn, answer, number, null);
    },
  );
  const call = (turn.parts.gate?.asking(request) ?? request).pipe(
    catchError((thrown: unknown) => {
      // A cancel waited for a call inside the answer, and caused this error: the model call did not fail.
      if (turn.cancellation.level !== null) return throwError(() => thrown);
      const stated = answer.errorOf(thrown);
      const error = turn.parts.structured?.errorOf(built.request, stated) ?? stated;
      const failure = modelCallFinished(turn, answer, number, error);
      const isUnseen = !answer.visible && !answer.end;
      if (isUnseen && isReasoningRefused(turn, error, built.request)) {
        const retrying = { ...repeat(0, error, before + 1), without: 'reasoning' } as const;
        const rest = { ...built, request: readableRequest(built.request) };
        return concat(failure, retrying, () =>
          attempt(turn, round, rest, { number: number + 1, before: before + 1 }),
        );
      }
      const delayMs = isUnseen ? retryDelay(error, number - before, turn) : null;
      if (delayMs === null) return concat(failure, carriedOn(turn, round, isUnseen, error, number));
      const again = () => attempt(turn, round, built, { number: number + 1, before });
      return concat(failure, repeat(delayMs, error, before), wait(ports.clock, delayMs), again);
    }),
  );
  return [permitted(turn, built.request), permittedStep(turn), call];
}

/** Goes on with the next provider of a fallback, or errors if there is none. */
function carriedOn(
  turn: Turn,
  round: Round,
  isUnseen: boolean,
  error: AgentSessionError,
  failed: number,
): Stage {
  const switched = isUnseen ? switchAfter(turn, error, failed + 1) : null;
  if (switched === null) return throwError(() => error);
  return [
    switched,
    () => {
      round.asking.before = failed;
      return round.askNext(failed + 1);
    },
  ];
}

/** Returns true if the model has refused the encrypted reasoning of a request, for the first time in this round. */
function isReasoningRefused(
  { current, spending }: Pick<Turn, 'current' | 'spending'>,
  { details }: AgentSessionError,
  { messages }: ProviderRequest,
): boolean {
  const isFirst = current().fold.turn?.unreadable?.round !== spending.rounds;
  return isFirst && details['refused'] === 'reasoning' && messages.some(({ parts }) => parts.some(isOwned));
}

function readableRequest(request: ProviderRequest): ProviderRequest {
  const { messages, idempotencyKey } = request;
  return Object.freeze({
    ...request,
    messages: Object.freeze(withoutReasoning(messages)),
    idempotencyKey: `readable-${idempotencyKey}`,
  });
}

function modelCallFinished(
  turn: Pick<Turn, 'spending' | 'settings' | 'tools' | 'parts' | 'current'>,
  { usage, end }: Pick<Answer, 'usage' | 'end'>,
  attempt: number,
  error: AgentSessionError | null,
): TurnFact {
  return defined({
    type: 'modelCallFinished',
    attempt,
    model: providerOf(turn).model,
    member: memberOf(turn),
    usage,
    stopReason: end?.reason ?? null,
    rawStopReason: end?.raw,
    stopDetail: end?.detail,
    error: error?.toJSON() ?? null,
    contextTokens: tokensAfter(turn, usage, error === null),
    contextWindow: contextWindowOf(turn.settings.provider),
    budget: turn.spending.budget(),
  });
}
