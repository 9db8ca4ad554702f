import { isErrorOutcome, type ContentPart, type ToolResult } from '@banister/provider';

/** A tool result as text, the only form that browsers accept. An image becomes `[image]`. */
export function resultText({ outcome, content }: ToolResult): string {
  const text = content.map(contentText).join('\n') || '(no output)';
  return isErrorOutcome(outcome) ? `Error: ${text}` : text;
}

function contentText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'json':
      return JSON.stringify(part.value);
    case 'image':
      return '[image]';
  }
}
