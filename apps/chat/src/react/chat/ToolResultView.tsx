import { isErrorOutcome, type ToolResult } from '@banister/react';
import { resultWords } from '../../session/result-words.js';

/** The result of a tool call. */
export function ToolResultView({ result }: { readonly result: ToolResult }) {
  if (result.content.length === 0) return null;
  const isError = isErrorOutcome(result.outcome);
  return (
    <div className="tool-result" data-error={isError || undefined}>
      <p className="tool-result-title">{isError ? 'Problem' : 'Result'}</p>
      {result.content.map((part, index) => (
        <pre key={index} className="code">
          {resultWords(part)}
        </pre>
      ))}
    </div>
  );
}
