import { isDeepStrictEqual } from 'node:util';
import { sha256, type Replayed, type ReplayedCall } from './replay.js';

/** A tool call in an index. */
export interface CallFacts {
  readonly id: string;
  readonly name: string;
  /** null if the text is not a JSON object. */
  readonly args?: unknown;
  /** Replaces `args` for calls that take any text. */
  readonly input?: string;
  readonly rawArgsSha256?: string;
}

/** The facts about a recording in an index. An absent field means none or empty. */
export interface Facts {
  /** Whether the file is an event stream; otherwise it has an event per line. */
  readonly framed: boolean;
  readonly textSha256: string;
  readonly reasoningSha256?: string;
  readonly refusalLength?: number;
  readonly toolCalls?: readonly CallFacts[];
  readonly usage: Readonly<Record<string, number | null>> | null;
  readonly stopReason: string | null;
  readonly errors?: readonly unknown[];
  readonly doneMarker?: boolean;
  readonly deviations?: Readonly<Record<string, number>>;
}

/** Returns the differences from the facts, in words; empty if there are none. */
export function compareFacts(replayed: Replayed, facts: Facts): readonly string[] {
  // Two answers joined in one recording: the facts count the parts of both, but a reader must refuse them.
  if (facts.deviations?.['more than one message_start']) return compareSpliced(replayed);
  const { toolCalls = [] } = facts;
  return [
    ...differs('status', replayed.status, statusOf(facts)),
    ...differs('text', replayed.textSha256, facts.textSha256),
    ...differs('refusal', replayed.refusal?.length ?? 0, facts.refusalLength ?? 0),
    ...differs('reasoning', replayed.reasoningSha256, facts.reasoningSha256 ?? sha256('')),
    ...differs('number of calls', replayed.toolCalls.length, toolCalls.length),
    ...toolCalls.flatMap((call, index) => compareCall(replayed.toolCalls[index], call)),
    ...differs('usage', replayed.usage, facts.usage),
    ...differs('stop reason', replayed.stopReason, facts.stopReason),
  ];
}

function compareSpliced({ status, toolCalls }: Replayed): readonly string[] {
  const ran = toolCalls.filter((call) => call.executed).map((call) => call.id);
  return [...differs('refused', status !== 'completed', true), ...differs('calls that ran', ran, [])];
}

function statusOf({ errors, stopReason, doneMarker }: Facts): Replayed['status'] {
  if (errors !== undefined) return 'failed';
  return stopReason !== null || doneMarker === true ? 'completed' : 'interrupted';
}

function compareCall(call: ReplayedCall | undefined, facts: CallFacts): readonly string[] {
  if (call === undefined) return [];
  const what = `call ${facts.id}`;
  return [
    ...differs(`${what}: id`, call.id, facts.id),
    ...differs(`${what}: name`, call.name, facts.name),
    ...(facts.rawArgsSha256 === undefined
      ? differs(`${what}: arguments`, call.arguments, facts.args ?? facts.input)
      : differs(`${what}: arguments`, sha256(String(call.arguments)), facts.rawArgsSha256)),
  ];
}

function differs(what: string, actual: unknown, expected: unknown): readonly string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  return [`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}
