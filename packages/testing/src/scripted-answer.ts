import {
  AgentSessionError,
  type ErrorCode,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
  type ToolResult,
  type UsageReport,
} from '@banister/provider';
import type { ToolSchema, ToolShape, WrittenArguments } from '@banister/session';
import { checkEvents } from './check-events.js';
import type { Gate } from './gate.js';

/** Text in pieces, in the order in which they arrive. A gate between two pieces delays the rest. */
export type Pieces = string | readonly (string | Gate)[];

/** A tool call of a scripted answer. */
export interface ScriptedCall {
  /** `domain.tool`, or a name that the model invents. */
  readonly tool: string;
  /** The arguments; `{}` by default. */
  readonly args?: JsonObject | undefined;
  /** The arguments as a string instead of `args`: deliberately malformed, or in pieces with gates between them. */
  readonly argumentsText?: Pieces | undefined;
  /** The provider's id of the call. */
  readonly id?: string | undefined;
  /** If true, the provider asks to approve a tool that it runs itself; `tool` is `server.tool`. */
  readonly hosted?: true | undefined;
  /** The maximal length of a piece of the arguments, in characters. Default 8; `Infinity` sends them in one piece. */
  readonly fragment?: number | undefined;
}

/**
 * A call of a tool. Its arguments have the type of the tool's schema.
 *
 * @param domain the id of the tool's domain
 * @param tool the tool as `defineTool` returned it, or its name and schema
 * @param args the arguments as the model writes them, before a schema of a library transforms them
 * @example
 * scriptedProvider([callTools(scriptedCall('board', addCard, { title: 'Milk' })), say('Done.')]);
 */
export function scriptedCall<S extends ToolSchema>(
  domain: string,
  tool: ToolShape<S>,
  args: NoInfer<WrittenArguments<S>>,
  more: Omit<ScriptedCall, 'tool' | 'args' | 'argumentsText'> = {},
): ScriptedCall {
  return { ...more, tool: `${domain}.${tool.name}`, args: args as JsonObject };
}

/**
 * Calls that the model makes at the same time inside its own session, while it answers. Later steps wait for the results.
 */
export interface InsideCalls {
  readonly type: 'inside';
  readonly calls: readonly ScriptedCall[];
}

/**
 * One step of an answer: a string is a piece of text, a {@link ScriptedCall} a whole tool call, a gate waits for the test, and an event is
 * emitted unchanged. {@link callInside} makes calls for which the answer waits. Another answer is replaced by its steps before its finish.
 */
export type Step = string | ScriptedCall | InsideCalls | Gate | ProviderEvent | ScriptedAnswer;

/** The answer to a request. The functions of this file make it; they reject invalid streams. */
export interface ScriptedAnswer {
  readonly type: 'answer';
  readonly steps: readonly (ProviderEvent | InsideCalls | Gate)[];
  /** What follows the steps: the end of the stream, an error, or nothing, forever. */
  readonly ending: 'return' | 'stall' | AgentSessionError | Error;
  /** Whether the answer ignores its signal: it continues, or hangs, after an abort. */
  readonly deaf: boolean;
}

/** Options of {@link say}. */
export interface SayOptions {
  /** Reasoning before the text. */
  readonly thinking?: Pieces | undefined;
  readonly usage?: UsageReport | undefined;
}

const FRAGMENT = 8;

/**
 * A text answer.
 *
 * @param text as a whole, or in pieces
 * @example
 * scriptedProvider([say(['Hel', 'lo.'], { thinking: 'A greeting.', usage: { inputTokens: 5, outputTokens: 2 } })]);
 */
export function say(text: Pieces, { thinking = [], usage }: SayOptions = {}): ScriptedAnswer {
  const thoughts = pieces(thinking).map((piece) => (typeof piece === 'string' ? thought(piece) : piece));
  // Usage comes last, after the finish, because most APIs send it there.
  const account = usage === undefined ? [] : [{ type: 'usage', usage } as const];
  return checked(
    [...thoughts, ...pieces(text), { type: 'finish', reason: 'stop' }, ...account],
    'return',
    true,
  );
}

/**
 * An answer that calls tools. Other steps may come between the calls.
 *
 * @example
 * scriptedProvider([
 *   callTools('Two cards.', { tool: 'board.add', args: { title: 'Milk' } }, { tool: 'board.add', args: { title: 'Tea' } }),
 *   say('Done.'),
 * ]);
 */
export function callTools(...steps: readonly Step[]): ScriptedAnswer {
  return finishWith('tool-calls', ...steps);
}

/**
 * A step in which the model runs tools inside its own session, as on-device models do: it makes all these calls at once and continues
 * when each call has its result. `provider.streams[n].results` holds the results.
 *
 * @example
 * scriptedProvider([
 *   finishWith('stop', 'I add it. ', callInside({ tool: 'board.add', args: { title: 'Milk' } }), 'Done.'),
 * ]);
 */
export function callInside(...calls: readonly ScriptedCall[]): InsideCalls {
  return { type: 'inside', calls };
}

/**
 * An answer that finishes for any reason, for example `length` or `refusal`.
 *
 * @example
 * scriptedProvider([finishWith('length', 'This sentence is cut in the mid')]);
 */
export function finishWith(reason: FinishReason, ...steps: readonly Step[]): ScriptedAnswer {
  return checked([...steps, { type: 'finish', reason }], 'return', true);
}

/**
 * An answer that fails before anything arrives.
 *
 * @example
 * scriptedProvider([fail('overloaded'), say('Second attempt.')]);
 */
export function fail(error: ErrorCode | Error): ScriptedAnswer {
  return failAfter([], error);
}

/**
 * An answer that fails after some steps.
 *
 * @example
 * scriptedProvider([failAfter(['Half an ans'], new AgentSessionError('network', 'The line went dead.'))]);
 */
export function failAfter(steps: readonly Step[], error: ErrorCode | Error): ScriptedAnswer {
  const thrown =
    typeof error === 'string' ? new AgentSessionError(error, `Scripted failure: ${error}.`) : error;
  return checked(steps, thrown, false);
}

/**
 * An answer whose stream ends without a finish, so that it may be incomplete.
 *
 * @example
 * scriptedProvider([cut({ tool: 'board.add', argumentsText: '{"title": "Mi' })]);
 */
export function cut(...steps: readonly Step[]): ScriptedAnswer {
  const answer = checked(steps, 'return', false);
  if (answer.steps.some((step) => step.type === 'finish')) throw impossible(['a cut answer has no finish']);
  return answer;
}

/**
 * An answer that emits its steps and then nothing, until its signal aborts.
 *
 * @example
 * scriptedProvider([stall('Let me think'), deaf(stall())]);
 */
export function stall(...steps: readonly Step[]): ScriptedAnswer {
  return checked(steps, 'stall', false);
}

/**
 * The same answer from a provider that ignores its signal: after an abort it continues, or hangs forever.
 *
 * @example
 * const late = gate();
 * scriptedProvider([deaf(say(['early', late, 'too late']))]);
 */
export function deaf(answer: ScriptedAnswer): ScriptedAnswer {
  return { ...answer, deaf: true };
}

/**
 * An answer that a provider must not give: events out of order, without finish, with gaps. For tests of how a session handles a broken
 * adapter.
 *
 * @example
 * scriptedProvider([unsafe({ type: 'tool-call', index: 3, delta: '{}' })]);
 */
export function unsafe(...steps: readonly Step[]): ScriptedAnswer {
  return { type: 'answer', steps: flattened(steps), ending: 'return', deaf: false };
}

function checked(
  steps: readonly Step[],
  ending: ScriptedAnswer['ending'],
  mustFinish: boolean,
): ScriptedAnswer {
  const flat = flattened(steps);
  const problems = checkEvents(flat.flatMap(eventsOf), mustFinish);
  if (problems.length > 0) throw impossible(problems);
  return { type: 'answer', steps: flat, ending, deaf: false };
}

function impossible(problems: readonly string[]): Error {
  return new Error(
    `No provider streams this: ${problems.join('; ')}. To send it all the same, wrap it in unsafe(…).`,
  );
}

function eventsOf(step: FlatStep): readonly ProviderEvent[] {
  if (step.type === 'gate') return [];
  return step.type === 'inside' ? step.calls.map((call) => innerCallEvent(call, () => {})) : [step];
}

/** The event of a call that the model makes inside an answer. */
export function innerCallEvent(
  { tool, id, args = {}, argumentsText = JSON.stringify(args) }: ScriptedCall,
  answer: (result: ToolResult) => void,
): Extract<ProviderEvent, { type: 'inner-call' }> {
  const text = pieces(argumentsText).map((piece) => {
    if (typeof piece === 'string') return piece;
    throw new Error('A call inside an answer is whole: no gate can stand in its arguments.');
  });
  return {
    type: 'inner-call',
    tool,
    ...(id === undefined ? {} : { id }),
    argumentsText: text.join(''),
    answer,
  };
}

type FlatStep = ProviderEvent | InsideCalls | Gate;

function flattened(steps: readonly Step[]): readonly FlatStep[] {
  const flat: FlatStep[] = [];
  let calls = 0;
  for (const step of steps) {
    const added = expanded(step, calls);
    flat.push(...added);
    // Calls from events or from another answer count too: a scripted call takes the next free index.
    for (const { index } of added.filter((one) => one.type === 'tool-call'))
      calls = Math.max(calls, index + 1);
  }
  return flat;
}

function expanded(step: Step, nextCall: number): readonly FlatStep[] {
  if (typeof step === 'string') return [{ type: 'text', delta: step }];
  if (!('type' in step)) return callEvents(step, nextCall);
  return step.type === 'answer' ? beforeFinish(step) : [step];
}

function beforeFinish({ steps }: ScriptedAnswer): readonly FlatStep[] {
  const end = steps.findIndex((step) => step.type === 'finish');
  return end < 0 ? steps : steps.slice(0, end);
}

/** The events of one call: the first names the tool, the rest bring the arguments. */
function callEvents(call: ScriptedCall, index: number): readonly (ProviderEvent | Gate)[] {
  const { tool, id, hosted, args = {}, argumentsText = JSON.stringify(args), fragment = FRAGMENT } = call;
  const parts = pieces(argumentsText).flatMap((piece): readonly (string | Gate)[] =>
    typeof piece === 'string' ? fragments(piece, fragment) : [piece],
  );
  const opening = {
    type: 'tool-call',
    index,
    tool,
    ...(id === undefined ? {} : { id }),
    ...(hosted === undefined ? {} : { hosted }),
  } as const;
  const [first, ...rest] = parts;
  const [delta, following] = typeof first === 'string' ? [first, rest] : ['', parts];
  return [
    { ...opening, delta },
    ...following.map((part) =>
      typeof part === 'string' ? ({ type: 'tool-call', index, delta: part } as const) : part,
    ),
  ];
}

function fragments(text: string, size: number): readonly string[] {
  if (text.length <= size) return [text];
  if (!(size >= 1)) throw new Error(`A fragment has at least one character, not ${size}.`);
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

function pieces(text: Pieces): readonly (string | Gate)[] {
  return typeof text === 'string' ? [text] : text;
}

function thought(delta: string): ProviderEvent {
  return { type: 'thinking', delta };
}
