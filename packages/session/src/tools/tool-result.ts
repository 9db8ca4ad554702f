import type { ContentPart, ToolResult, ToolResultOutcome } from '@banister/provider';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { isErrorOutcome } from '@banister/provider/internal/messages/content';
import * as told from '../conversation/model-words.js';
import { isToolOutcome, success, type ToolOutcome } from './tool-outcome.js';
import type { RegisteredTool } from './tool-registry.js';

/** The longest result of a tool, in characters of JSON without images, including its sentence for the user; about 25,000 tokens. */
export const MAX_RESULT_LENGTH = 100_000;

type ToldOf = (error: unknown) => Promise<string>;

/** Returns a result that consists of one text; `forUser` is the sentence for the user, if there is one. */
export function textResult(outcome: ToolResultOutcome, text: string, forUser?: string): ToolResult {
  return { outcome, content: [{ type: 'text', text }], ...(forUser && { forUser }) };
}

/**
 * Returns the result for a value that an executor returned. It contains a copy, so that later changes of the value do not affect it. A
 * value that JSON cannot hold, or that is too large, becomes a result `unusable` with the reason.
 *
 * @param toldOf resolves with the part of an error that the model may read
 */
export function resultOf(returned: unknown, toldOf: ToldOf): ToolResult | Promise<ToolResult> {
  try {
    return cappedResult(isToolOutcome(returned) ? fromOutcome(returned) : fromValue(returned));
  } catch (error) {
    return toldOf(error).then((reason) => textResult('unusable', told.unusable(reason)));
  }
}

/** Returns the result for an executor that threw: the message of the error, without stack and cause. */
export async function thrownResult(error: unknown, toldOf: ToldOf): Promise<ToolResult> {
  return textResult('thrown', told.threw(await toldOf(error)));
}

/** The maximal depth of a returned value for `jsonCopy`: its result, a list of parts, holds the value two levels deeper. */
const MAX_DEPTH = 198;

function fromValue(value: unknown): ToolResult {
  const content = value === undefined ? [] : success(jsonCopy(value, undefined, MAX_DEPTH)).content;
  return { outcome: 'success', content };
}

function fromOutcome(outcome: ToolOutcome): ToolResult {
  switch (outcome.outcome) {
    case 'success':
      return { outcome: 'success', content: jsonCopy(outcome.content) as unknown as readonly ContentPart[] };
    case 'stop':
      return textResult('stop', outcome.reason);
    case 'failed':
      return textResult('failed', outcome.message, outcome.forUser);
    case 'denied':
      return textResult('denied', told.refused(outcome.reason), outcome.forUser);
    case 'conflict':
      return textResult('conflict', told.stale(outcome.expected, outcome.actual));
  }
}

/** Returns the result; if it is too large, a result that says so. */
export function cappedResult(result: ToolResult): ToolResult {
  let length = result.forUser?.length ?? 0;
  for (const part of result.content) {
    if (part.type === 'text') {
      if (typeof part.text !== 'string') throw new Error('its text is no text');
      length += part.text.length;
    } else if (part.type === 'json') length += JSON.stringify(part.value).length;
  }
  if (length <= MAX_RESULT_LENGTH) return result;
  return textResult(
    result.outcome === 'success' ? 'unusable' : result.outcome,
    told.tooLarge(length, MAX_RESULT_LENGTH),
  );
}

/** Returns true if the call did its work. A call with an unusable result did its work too. */
export function isSuccess({ outcome }: ToolResult): boolean {
  return !isErrorOutcome(outcome) || outcome === 'unusable';
}

/** Returns true if the call changed something, even if the tool recorded no effect. */
export function didWork({ readOnly }: Pick<RegisteredTool, 'readOnly'>, result: ToolResult): boolean {
  return isSuccess(result) && !readOnly;
}
