import { useSession, type AgentSession, type ToolCallView } from '@handrail/react';
import { useCallback, useState } from 'react';
import { callWords } from '../../session/call-words.js';
import type { DescribeCall } from '../../session/chat.js';
import { visibleText } from '../../text/visible-text.js';
import { Arguments } from './Arguments.js';
import { ToolProgress } from './ToolProgress.js';
import { ToolResultView } from './ToolResultView.js';

interface ToolCardProps {
  readonly call: ToolCallView;
  readonly session: AgentSession;
  readonly describe: DescribeCall;
  readonly isOver: boolean;
}

export function ToolCard({ call, session, describe, isOver }: ToolCardProps) {
  const { id, state, result } = call;
  const isWaiting = state === 'waiting';
  const select = useCallback(
    (of: AgentSession) =>
      isWaiting && of.pendingConfirmations.value.some((request) => request.call.id === id),
    [id, isWaiting],
  );
  const isAsked = useSession(session, select);
  const words = callWords(call, { asked: isAsked, over: isOver });
  const [chosen, setChosen] = useState<boolean | null>(null);
  // What went as it was announced needs no second look.
  const isPlain = state === 'settled' && words.tone === 'done' && call.ranWith === undefined;
  const isOpen = chosen ?? !(isPlain || isOver);

  return (
    <div role="group" aria-label={`Tool ${call.tool}`} className="tool-card" data-tone={words.tone}>
      <button type="button" className="tool-toggle" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <span className="tool-mark" aria-hidden="true" />
        <span className="tool-title">{visibleText(describe(call))}</span>
        <span className="tool-state">{words.text}</span>
      </button>
      {state === 'executing' && !isOver && <ToolProgress progress={call.progress} />}
      {isOpen && (
        <div className="tool-details">
          <p className="tool-id">{visibleText(call.tool)}</p>
          <Arguments call={call} />
          {result && <ToolResultView result={result} />}
        </div>
      )}
    </div>
  );
}
