import type { ContentPart, ToolCallPart } from '../conversation/content.js';
import type { ToolCallView } from '../conversation/turn-record.js';
import { isJsonObject, type JsonValue } from '../json/json.js';
import { imageMarkdown, type ImageForm } from './image-markdown.js';
import { codeBlock, codeSpan, fitsSpan, inWords, listItem } from './markdown-syntax.js';

/** The fields of a call that are shown: of a record, or of a message with its result. */
export type ShownCall = Pick<ToolCallPart, 'tool' | 'argumentsText' | 'ranWith'> & {
  readonly arguments?: JsonValue;
} & Partial<Pick<ToolCallView, 'title' | 'result' | 'rejection' | 'state'>>;

/** Returns a call as an item of a list: the tool and the outcome, then its arguments and its result. */
export function callMarkdown(call: ShownCall, images: ImageForm): string {
  const { tool, title, argumentsText, ranWith, result } = call;
  const name = title === undefined ? codeSpan(tool) : `${codeSpan(tool)} (${inWords(title)})`;
  const given = call.arguments ?? undefined;
  const hasArguments = isJsonObject(given) ? Object.keys(given).length > 0 : argumentsText !== '';
  const facts = [
    ...(hasArguments ? [`Arguments:${given === undefined ? ofText(argumentsText) : ofJson(given)}`] : []),
    ...(ranWith === undefined ? [] : [`Ran with:${ofJson(ranWith)}`]),
    ...(result?.content ?? []).map((part) => `Result:${ofContent(part, images)}`),
  ];
  return listItem([`Tool ${name}: ${outcomeOf(call)}`, ...facts.map(listItem)].join('\n'));
}

function outcomeOf({ result, rejection, state }: ShownCall): string {
  if (rejection !== undefined) return `did not run (${rejection})`;
  if (result !== undefined) return result.outcome === 'rejected' ? 'did not run' : result.outcome;
  switch (state) {
    case 'executing':
      return 'still running';
    case 'interrupted':
      return 'interrupted, it may have acted';
    default:
      return 'not decided';
  }
}

function ofContent(part: ContentPart, images: ImageForm): string {
  switch (part.type) {
    case 'text':
      return ofText(part.text);
    case 'json':
      return ofJson(part.value);
    case 'image':
      return ` ${imageMarkdown(part, images)}`;
  }
}

/** A short value is shown behind its name, any other one as a block below it. */
function ofJson(value: JsonValue): string {
  const text = JSON.stringify(value);
  return fitsSpan(text) ? ` ${codeSpan(text)}` : `\n${codeBlock(JSON.stringify(value, null, 2), 'json')}`;
}

function ofText(text: string): string {
  return fitsSpan(text) ? ` ${codeSpan(text)}` : `\n${codeBlock(text, 'text')}`;
}
