import type { ToolCallView } from '@banister/session';
import { isErrorOutcome, type ContentPart } from '@banister/provider';
import { createWords } from '@banister/session/words';
import { visibleJson, visibleText } from '../text/visible-text.js';

const words = createWords({});

/**
 * Says why a call did not run or failed, in words for the user, because the text of its result is for the
 * model; null if it succeeded.
 */
export function problemWords(call: ToolCallView): string | null {
  const problem = words.call(call);
  return problem === null ? null : visibleText(problem);
}

/** Returns the result of a call, or the reason why there is none; null while there is nothing to show. */
export function shownResult(
  call: ToolCallView,
): { readonly isError: boolean; readonly texts: readonly string[] } | null {
  const { result } = call;
  if (result === undefined || result.content.length === 0) return null;
  if (isErrorOutcome(result.outcome)) return { isError: true, texts: [problemWords(call) ?? ''] };
  return { isError: false, texts: result.content.map(resultWords) };
}

/** Returns a part of a tool's answer as text, never as markup. */
function resultWords(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return visibleText(part.text);
    case 'json':
      return visibleJson(part.value);
    case 'image':
      return `Image (${part.mediaType})`;
  }
}
