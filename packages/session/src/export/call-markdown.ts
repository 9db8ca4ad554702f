import type { ContentPart, JsonValue, ToolCallPart } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { ToolCallView } from '../conversation/turn-record.js';
import { imageMarkdown, type ImageForm } from './image-markdown.js';
import { codeBlock, codeSpan, fitsSpan, inWords, listItem } from './markdown-syntax.js';

/** The fields of a call that are shown: from a record, or from a message with its result. */
export type ShownCall = Pick<ToolCallPart, 'tool' | 'argumentsText' | 'ranWith'> & {
  readonly arguments?: JsonValue;
} & Partial<Pick<ToolCallView, 'title' | 'rejection' | 'state' | 'late' | 'readOnly' | 'children'>> & {
    readonly result?: ToolCallView['result'] | undefined;
  };

/** How a call is shown. */
interface CallOptions {
  readonly images: ImageForm;
  /** Whether the turn of the call has ended. */
  readonly isOver?: boolean;
}

/**
 * Returns a call as an item of a list: the tool and the outcome, then its arguments, its child turns and its result.
 *
 * @param children the child turns of the call, each as blocks of Markdown
 */
export function callMarkdown(
  call: ShownCall,
  { images, isOver }: CallOptions,
  children: readonly string[] = [],
): string {
  const { tool, title, argumentsText, ranWith, result } = call;
  const name = title === undefined ? codeSpan(tool) : `${codeSpan(tool)} (${inWords(title)})`;
  const given = call.arguments ?? undefined;
  const hasArguments = isJsonObject(given) ? Object.keys(given).length > 0 : argumentsText !== '';
  const facts = [
    ...(hasArguments ? [`Arguments:${given === undefined ? ofText(argumentsText) : ofJson(given)}`] : []),
    ...(ranWith === undefined ? [] : [`Ran with:${ofJson(ranWith)}`]),
  ];
  const results = (result?.content ?? []).map((part) => `Result:${ofContent(part, images)}`);
  return listItem(
    [`Tool ${name}: ${outcomeOf(call, isOver)}`, ...[...facts, ...children, ...results].map(listItem)].join(
      '\n',
    ),
  );
}

function outcomeOf({ result, rejection, state, late, readOnly }: ShownCall, isOver?: boolean): string {
  if (rejection !== undefined) return `did not run (${rejection})`;
  if (result !== undefined) return result.outcome === 'rejected' ? 'did not run' : result.outcome;
  if (late !== undefined) return `${late.outcome} late`;
  if (state === 'executing' && !isOver) return 'still running';
  if (state !== 'executing' && state !== 'interrupted') return 'not decided';
  return readOnly ? 'interrupted' : 'interrupted, it may have acted';
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

function ofJson(value: JsonValue): string {
  return ofText(JSON.stringify(value), JSON.stringify(value, null, 2), 'json');
}

/** Returns a short text for the same line, and any other text as a block below it. */
function ofText(text: string, block = text, language = 'text'): string {
  return fitsSpan(text) ? ` ${codeSpan(text)}` : `\n${codeBlock(block, language)}`;
}
