import { isErrorOutcome, type ContentPart, type ToolResult } from '@handrail/react';
import { visibleJson, visibleText } from '../../text/visible-text.js';

/** What a tool answered, as text: nothing of it is ever markup. */
export function ToolResultView({ result }: { readonly result: ToolResult }) {
  if (result.content.length === 0) return null;
  return (
    <div className="tool-result" data-error={isErrorOutcome(result.outcome) || undefined}>
      <p className="tool-result-title">{isErrorOutcome(result.outcome) ? 'Problem' : 'Result'}</p>
      {result.content.map((part, index) => (
        <pre key={index} className="code">
          {wordsOf(part)}
        </pre>
      ))}
    </div>
  );
}

function wordsOf(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return visibleText(part.text);
    case 'json':
      return visibleJson(part.value);
    case 'image':
      return `Image (${part.mediaType})`;
  }
}
