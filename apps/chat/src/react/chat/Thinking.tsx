import { useState } from 'react';
import { visibleText } from '../../text/visible-text.js';

interface ThinkingProps {
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Open while the model writes it, then folded, unless the reader has opened or folded it. */
export function Thinking({ text, isCurrent }: ThinkingProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? isCurrent;
  return (
    <div className="thinking" data-current={isCurrent || undefined}>
      <button
        type="button"
        className="thinking-toggle"
        aria-expanded={isOpen}
        onClick={() => setChosen(!isOpen)}
      >
        {isCurrent ? 'Thinking…' : 'Thinking'}
      </button>
      {isOpen && <p className="thinking-text">{visibleText(text)}</p>}
    </div>
  );
}
