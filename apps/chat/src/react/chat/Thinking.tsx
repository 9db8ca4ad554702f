import { useSession, type AgentSession } from '@banister/react';
import { useState } from 'react';
import { thinkingWords, type ThinkingTimes } from '../../session/thinking-times.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';

interface ThinkingProps {
  readonly id: string;
  readonly text: string;
  readonly isCurrent: boolean;
  readonly times: ThinkingTimes;
  readonly session: AgentSession;
}

/** Unfolded while the model writes it, then folded, unless the reader has unfolded or folded it. */
export function Thinking({ id, text, isCurrent, times, session }: ThinkingProps) {
  const ms = useSession(session, () => times.of(id));
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
        {thinkingWords(ms, isCurrent)}
        <Icon name="opens" />
      </button>
      {isOpen && <p className="thinking-text">{visibleText(text)}</p>}
    </div>
  );
}
