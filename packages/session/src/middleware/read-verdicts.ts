import type { ContentPart, JsonObject, JsonValue } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { success } from '../tools/tool-outcome.js';
import type { AnswerVerdict, CallVerdict } from './middleware.js';

// Readers of the answers of hooks. They return a uniform form; any other value is a failure of the hook.

/** Returns the verdict on an answer; null to keep it. */
export function readAnswerVerdict(answer: unknown): Exclude<AnswerVerdict, 'keep'> | null {
  if (answer === undefined || answer === 'keep') return null;
  const { withhold, again } = fieldsOf(answer, ['withhold', 'again']);
  return {
    withhold: filledText(withhold, 'withhold'),
    ...(again === undefined ? {} : { again: filledText(again, 'again') }),
  };
}

/** Returns the verdict on the result of a call, with a copy of its content; null to keep it. */
export function readResultVerdict(
  answer: unknown,
): { readonly replace: readonly ContentPart[] } | { readonly reject: string } | null {
  if (answer === undefined || answer === 'keep') return null;
  const { replace, reject } = fieldsOf(answer, ['replace', 'reject']);
  if (replace === undefined) return { reject: filledText(reject, 'reject') };
  if (reject !== undefined) throw unusable('a result for one that it rejects');
  if (!Array.isArray(replace)) throw unusable('a result that is no list of texts, JSON values and parts');
  return { replace: success(...(jsonCopy(replace) as readonly JsonValue[])).content };
}

/** Returns the reason of an escalation; null if the model reads the error. */
export function readToolErrorVerdict(answer: unknown): string | null {
  if (answer === undefined || answer === 'feed-back') return null;
  return onlyText(answer, 'escalate');
}

/** Returns the note of a continuation; null if the turn ends. */
export function readFinishedTurnVerdict(answer: unknown): string | null {
  if (answer === undefined || answer === 'end') return null;
  return onlyText(answer, 'continue');
}

/** Returns the verdicts on calls, by id, without the calls that proceed. */
export function readCallVerdicts(
  answer: unknown,
  ids: readonly string[],
): ReadonlyMap<string, Exclude<CallVerdict, 'proceed'>> {
  const verdicts = new Map<string, Exclude<CallVerdict, 'proceed'>>();
  if (answer === undefined) return verdicts;
  for (const [id, verdict] of Object.entries(fieldsOf(answer))) {
    if (!ids.includes(id)) throw unusable(`a verdict about "${id}", which is no call of the batch`);
    if (verdict !== 'proceed' && verdict !== undefined) verdicts.set(id, readCallVerdict(verdict));
  }
  return verdicts;
}

function readCallVerdict(verdict: unknown): Exclude<CallVerdict, 'proceed'> {
  const { arguments: given, reject } = fieldsOf(verdict, ['arguments', 'reject']);
  if (given === undefined) return { reject: filledText(reject, 'reject') };
  if (reject !== undefined) throw unusable('arguments for a call that it rejects');
  if (!isJsonObject(given)) throw unusable('arguments that are no object');
  return { arguments: jsonCopy(given) as JsonObject };
}

/** Returns the string in the only field of an answer. */
function onlyText(answer: unknown, name: string): string {
  return filledText(fieldsOf(answer, [name])[name], name);
}

function fieldsOf(answer: unknown, known?: readonly string[]): Readonly<Record<string, unknown>> {
  // The fields of a `Map` are not its entries, so its verdicts would be ignored.
  if (!isJsonObject(answer)) throw unusable(kindOf(answer));
  const other = known && Object.keys(answer).find((name) => !known.includes(name));
  if (other !== undefined) throw unusable(`the unknown field "${other}"`);
  return answer;
}

function kindOf(answer: unknown): string {
  if (answer === null) return 'null';
  if (Array.isArray(answer)) return 'a list';
  return typeof answer === 'object' ? 'an object that is not plain' : `a ${typeof answer}`;
}

function filledText(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw unusable(`no text in the field "${name}"`);
  return value;
}

function unusable(found: string): Error {
  return new Error(`it returned ${found}`);
}
