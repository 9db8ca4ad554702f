import { createCompiledValidator } from '@banister/schema/compiled';
import {
  createAgentSession,
  immediate,
  type Decision,
  type Domain,
  type ExtensionDecision,
  type ExtensionRequest,
  type LocalAgentSession,
  type Operation,
  type Ports,
  type Provider,
  type SessionOptions,
  type ToolCall,
  type TurnStatus,
  type UndoProvider,
} from '@banister/session';
import {
  createSequentialIds,
  createVirtualClock,
  say,
  scriptedProvider,
  settle,
  type AnswerSource,
  type ScriptedProvider,
  type VirtualClock,
} from '@banister/testing';
import { cachedValidator } from '../cached-validator.js';
import { leafOf } from '../../src/operations/operation.js';
import { loadMatcher } from '../../src/tools/pattern-matcher.js';
import { KillApp, type World } from './kill-app.js';

/** The answers to the attempts of each round of a turn; the last one answers all further attempts. */
export type TurnScript = readonly (AnswerSource | readonly AnswerSource[])[];

/** A life of a session, which is cut at each of its operations. */
export interface Scenario {
  readonly name: string;
  /** By the text of the user message. */
  readonly turns: Readonly<Record<string, TurnScript>>;
  /** The answer to a request in which no message has a script: one that steers may begin a turn. Default: such a request fails. */
  readonly unscripted?: AnswerSource;
  /** The answers of the session that goes on, where they differ. */
  readonly resumed?: Readonly<Record<string, TurnScript>>;
  /** The domains beside the board, and the options, of a session that goes on. Default: the same. */
  readonly resumedAs?: Pick<Scenario, 'more' | 'options'>;
  readonly options?: Partial<SessionOptions>;
  /** Whether the board has no revision, so that calls with resources run side by side. Default false. */
  readonly unversioned?: boolean;
  /** Domains beside the board. */
  readonly more?: readonly Domain[];
  /** The app's own history. Default: the built-in one. */
  readonly history?: (app: KillApp) => UndoProvider;
  /** Returns the provider of a session, made of the one that answers from `turns`. */
  readonly provider?: (scripted: ScriptedProvider, clock: VirtualClock) => Provider;
  /** The user's answer to each question. Default: approves. */
  readonly decide?: (call: ToolCall) => Decision;
  /** The user's answer to each request for more of a limit, by its number; null for none. Default: as much as is suggested. */
  readonly extend?: (
    request: ExtensionRequest,
    nth: number,
    session: LocalAgentSession,
  ) => ExtensionDecision | null;
  /** The user's decisions about effects under review, each time that a review is opened. Those that stay open are accepted. */
  readonly review?: (session: LocalAgentSession) => Promise<unknown>;
  /** Returns the paths of a card. Default: none. */
  readonly paths?: (title: string) => readonly string[];
  /** Is called with each session of the scenario, before it does anything. */
  readonly watch?: (session: LocalAgentSession) => void;
  /** The ends of its turns, in order, where it is about them. */
  readonly ends?: readonly TurnStatus[];
  /** Runs the session. Default: sends the messages of `turns`, in order. */
  readonly run?: (stage: Stage) => Promise<unknown>;
}

/** A session of a scenario, on its app. */
export interface Stage {
  readonly session: LocalAgentSession;
  readonly provider: ScriptedProvider;
  readonly clock: VirtualClock;
  readonly app: KillApp;
  readonly operations: readonly Operation[];
  readonly reported: readonly unknown[];
}

/** One for all sessions, which compiles each schema once. */
const validator = cachedValidator(createCompiledValidator(loadMatcher));

/** Creates a session of a scenario. Its user answers each question a moment after it was asked, and decides in each review. */
export function stageOf(
  scenario: Scenario,
  world: World,
  { restored, changed, isResumed = false, ports }: StageOptions = {},
): Stage {
  const clock = createVirtualClock(1_000);
  const app = new KillApp(world, changed, scenario.paths);
  const provider = providerOf(
    (isResumed ? scenario.resumed : undefined) ?? scenario.turns,
    scenario.unscripted,
  );
  const reported: unknown[] = [];
  const { more = [], options } = { ...scenario, ...(isResumed ? scenario.resumedAs : {}) };
  const session = createAgentSession({
    provider: scenario.provider?.(provider, clock) ?? provider,
    domains: [app.domain(scenario.unversioned), ...more],
    ...options,
    ...(scenario.history === undefined ? {} : { history: scenario.history(app) }),
    ...(restored === undefined ? {} : { restored }),
    ports: {
      clock,
      ...(isResumed ? {} : { ids: createSequentialIds() }),
      random: () => 0.5,
      scheduler: immediate(),
      validator,
      reportError: (error) => reported.push(error),
      ...ports?.(clock),
    },
  });
  scenario.watch?.(session);
  const operations: Operation[] = [];
  let extensions = 0;
  session.operations$.subscribe((operation) => {
    operations.push(operation);
    const fact = leafOf(operation);
    if (operation.type === 'extensionRequested') {
      const { request } = operation;
      const nth = ++extensions;
      void settle(20).then(() => {
        const decision = scenario.extend ? scenario.extend(request, nth, session) : { extend: {} };
        if (decision !== null) void session.respond(request.id, decision);
      });
    }
    if (operation.type === 'reviewOpened') void settle(20).then(() => decideAll(scenario, session));
    if (fact.type !== 'confirmationRequested' || fact.request.answeredBy !== 'signal') return;
    const { id, call } = fact.request;
    void settle(20).then(() => session.respond(id, scenario.decide?.(call) ?? { approve: true }));
  });
  return { session, provider, clock, app, operations, reported };
}

async function decideAll({ review }: Scenario, session: LocalAgentSession): Promise<void> {
  await review?.(session).catch(() => {});
  await session.accept().catch(() => {});
}

export interface StageOptions {
  readonly restored?: SessionOptions['restored'];
  readonly changed?: () => void;
  readonly isResumed?: boolean;
  /** Returns ports that replace those of the stage. */
  readonly ports?: (clock: VirtualClock) => Partial<Ports>;
}

/** The answer to each request for a summary. */
const summaryAnswer = say('A summary.', { usage: { inputTokens: 10, outputTokens: 5 } });

/** A provider whose answer is a function of the turn, the round and the attempt, so that each session gets the same ones. */
function providerOf(
  turns: Readonly<Record<string, TurnScript>>,
  unscripted?: AnswerSource,
): ScriptedProvider {
  const attempts = new Map<string, number>();
  return scriptedProvider([], {
    otherwise: (request, number) => {
      const texts = request.messages.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (role === 'user' && part.type === 'text' ? [part.text] : [])),
      );
      const text = texts.findLast((one) => one in turns);
      const key = request.idempotencyKey ?? '';
      if (key.endsWith('-summary')) return summaryAnswer;
      const round = Number(key.slice(key.lastIndexOf('-') + 1));
      const attempt = attempts.get(key) ?? 0;
      attempts.set(key, attempt + 1);
      const source = text === undefined ? unscripted : turns[text]?.[round - 1];
      if (source === undefined) throw new Error(`No answer to round ${round} of "${text ?? texts.at(-1)}".`);
      const answers = Array.isArray(source) ? (source as readonly AnswerSource[]) : [source as AnswerSource];
      const answer = answers[Math.min(attempt, answers.length - 1)]!;
      return typeof answer === 'function' ? answer(request, number) : answer;
    },
  });
}

/** Moves time on until a promise has settled. Returns its error, or null. */
export async function ended(promise: Promise<unknown>, clock: VirtualClock): Promise<unknown> {
  let outcome: { readonly error: unknown } | null = null;
  promise.then(
    () => (outcome = { error: null }),
    (error: unknown) => (outcome = { error }),
  );
  await settle();
  for (let turns = 0; outcome === null && turns < 50; turns++) await clock.advance(10_000);
  if (outcome === null) throw new Error('It never ends.');
  return (outcome as { readonly error: unknown }).error;
}

/** Runs a scenario, in its own way or message by message. */
export async function play(scenario: Scenario, stage: Stage): Promise<void> {
  if (scenario.run) {
    await ended(scenario.run(stage), stage.clock);
    return;
  }
  for (const text of Object.keys(scenario.turns)) await ended(stage.session.send(text), stage.clock);
}
