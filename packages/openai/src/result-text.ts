import { isErrorOutcome, type ContentPart, type ToolResultPart } from '@handrail/session/provider';

/** A tool result as text, for APIs that know no other form. Images are only named. */
export function resultText(result: ToolResultPart): string {
  return withOutcome(result, result.content.map(contentText).join('\n') || '(no output)');
}

/** Marks the text of a failed call: the API has no field that says so. */
export function withOutcome({ outcome }: ToolResultPart, text: string): string {
  return isErrorOutcome(outcome) ? `Error: ${text}` : text;
}

/** One part of a result as text. */
export function contentText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'json':
      return JSON.stringify(part.value);
    case 'image':
      return '[image]';
  }
}
