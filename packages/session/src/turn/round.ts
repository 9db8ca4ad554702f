import type { Message } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { map, type Observable } from 'rxjs';
import { resolveAttachments } from '../context/resolve-attachments.js';
import { noteMessage } from '../context/note-message.js';
import { readContext } from '../context/read-context.js';
import { modeIn } from '../guards/mode.js';
import type { TurnFact } from '../operations/operation.js';
import { concat, type Stage } from './concat.js';
import { compacted, hooked, permittedStep } from './doors.js';
import { exchangeOf } from './exchange.js';
import { joinSteering, nextSteering } from './join-steering.js';
import { callModel } from './model-call.js';
import { providerOf, switchBefore } from './members.js';
import { toolBatch } from './tool-batch.js';
import { requiredTool } from './tool-choice.js';
import { requestedIn } from '../state/round-calls.js';
import { contextSize } from './context-size.js';
import { isStopped, type Asking, type Round, type Turn } from './turn-context.js';
import { written } from './written.js';

/** Runs one round: reads the context, sends the request, streams the answer, and runs the calls that it requests. */
export function runRound(turn: Turn): Stage {
  if (turn.parts.extensions === null) return startRound(turn);
  return [
    permittedStep(turn, () => turn.spending.roundTrip()),
    // The user may have sent a steering message while the turn waited.
    joinSteering(turn),
    () => startRound(turn),
  ];
}

function startRound(turn: Turn): Stage {
  // A subscriber may have cancelled at the last fact of the previous round.
  turn.cancellation.checkpoint();
  const number = turn.spending.nextRound();
  const started = defined({
    type: 'roundStarted',
    round: number,
    budget: turn.spending.budget({ rounds: number }),
    ...contextSize(turn),
  });
  return [started, askModel(turn, number), answeredRound(turn)];
}

/** Reads the context, sends the request of a round, and streams the answer. The provider of a fallback is chosen first. */
export function askModel(turn: Turn, number: number): Stage {
  const switched = switchBefore(turn);
  const asking: Asking = { number, before: 0 };
  return [
    switched ?? [],
    permittedStep(turn),
    () => compacted(turn, (messages, attempt) => askWith(turn, asking, messages, attempt)),
  ];
}

function askWith(
  turn: Turn,
  asking: Asking,
  messages: readonly Message[],
  attempt: number,
): Observable<TurnFact> {
  const { number } = asking;
  const { attachments, turns } = turn.state();
  const resolved = resolveAttachments(messages, attachments, providerOf(turn), turns);
  const round: Round = {
    number,
    resolved,
    contextLines: modeLines(turn),
    asking,
    askNext: (next) => askWith(turn, asking, messages, next),
    innerCallRuns: false,
  };
  return concat(
    activateNamed(turn, number),
    refreshContext(turn, round),
    // The messages of the request are stored before it is sent.
    written(turn).pipe(turn.cancellation.untilCancelled()),
    callModel(turn, round, attempt),
  );
}

/** Returns the line of the mode in force, if it has one. */
function modeLines({ host, current }: Pick<Turn, 'host' | 'current'>): readonly string[] {
  const note = modeIn(host.modes(), current().mode)?.note;
  return note === undefined ? [] : [`[mode]: ${note}`];
}

/** Activates the domains that the options of the turn name. */
function activateNamed(turn: Turn, number: number): Stage {
  const stage = turn.discovery?.beginning(requiredTool(turn, number), number);
  return stage === undefined ? [] : concat(stage).pipe(turn.cancellation.untilCancelled());
}

/**
 * Runs the calls that the answer of the open round requests, and closes the round. In a round that asks for a structured output, its stages
 * accept the output instead.
 */
export function answeredRound(turn: Turn): Stage {
  const { structured } = turn.parts;
  if (structured !== null)
    return [
      concat(() => structured.answered(turn)).pipe(turn.cancellation.untilCancelled()),
      () => (isStopped(turn) ? [] : roundCompleted(turn)),
    ];
  return [() => toolBatch(turn), endRound(turn)];
}

function refreshContext(
  turn: Pick<Turn, 'settings' | 'ports' | 'cancellation' | 'contextCache'>,
  round: Round,
): Stage {
  const { context, limits } = turn.settings;
  const left = round.resolved.diagnostics;
  if (context.length === 0) return left.length === 0 ? [] : { type: 'contextRefreshed', diagnostics: left };
  const { ports, contextCache: cache } = turn;
  return readContext(context, { clock: ports.clock, cache, timeoutMs: limits.contextTimeoutMs }).pipe(
    map(({ lines, diagnostics }) => {
      round.contextLines = [...round.contextLines, ...lines];
      return { type: 'contextRefreshed', diagnostics: [...diagnostics, ...left] } as const;
    }),
    turn.cancellation.untilCancelled(),
  );
}

/** Lets the middleware continue the turn after its final answer, and closes the round. */
export function endRound(turn: Turn): Stage {
  return [hooked(turn, ({ afterTurn }) => afterTurn(turn)), () => closeRound(turn)];
}

/**
 * If another round follows, appends the messages of this round. Another round follows if this round has tool calls, the user steers, or a
 * middleware continues the turn. The messages of the last round are appended when the turn commits.
 */
function closeRound(turn: Turn): Stage {
  if (isStopped(turn) && nextSteering(turn) === undefined) return [];
  const messages = closedExchange(turn);
  return [
    messages.length === 0 ? [] : { type: 'messagesAppended', messages },
    roundCompleted(turn),
    joinSteering(turn),
  ];
}

/**
 * Returns the messages of a round before another round, with the note of a middleware that continues the turn. In an interrupted answer,
 * the text after the last inner call is left out, because the model continues from the result.
 */
function closedExchange(turn: Turn): readonly Message[] {
  const messages = exchangeOf(turn);
  const { finish = null, continuation } = turn.current().fold.turn?.round ?? {};
  if (continuation !== undefined)
    return [...messages, noteMessage(turn.ports.ids.next('message'), continuation)];
  return finish !== null || messages.at(-1)?.role === 'user' ? messages : messages.slice(0, -1);
}

/** Returns the fact that the open round was completed. */
export function roundCompleted({ current, spending }: Pick<Turn, 'current' | 'spending'>): TurnFact {
  const state = current();
  return {
    type: 'roundCompleted',
    round: spending.rounds,
    usage: state.fold.turn?.round?.usage ?? null,
    totalUsage: spending.usage,
    toolCalls: requestedIn(state).length,
    budget: spending.budget(),
  };
}
