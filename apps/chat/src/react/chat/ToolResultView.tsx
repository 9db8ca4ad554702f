import type { ToolCallView } from '@banister/react';
import { shownResult } from '../../session/result-words.js';

/** The result of a tool call. */
export function ToolResultView({ call }: { readonly call: ToolCallView }) {
  const result = shownResult(call);
  if (result === null) return null;
  const { isError, texts } = result;
  return (
    <div className="tool-result" data-error={isError || undefined}>
      <p className="tool-result-title">{isError ? 'Problem' : 'Result'}</p>
      {texts.map((text, index) => (
        <pre key={index} className="code">
          {text}
        </pre>
      ))}
    </div>
  );
}
