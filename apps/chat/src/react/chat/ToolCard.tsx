import { useSignalValue, type AgentSession, type ToolCallView } from '@handrail/react';
import { useState } from 'react';
import { callWords } from '../../session/call-words.js';
import type { DescribeCall } from '../../session/chat.js';
import { questionAbout } from '../../session/question-about.js';
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
  const { state, result } = call;
  const tool = visibleText(call.tool);
  const question = useSignalValue(questionAbout(session, call));
  const words = callWords(call, { question, isOver });
  const [chosen, setChosen] = useState<boolean | null>(null);
  // A call that ran as the model wrote it starts folded.
  const isPlain = state === 'settled' && words.tone === 'done' && call.ranWith === undefined;
  const isOpen = chosen ?? !(isPlain || isOver);

  return (
    <div role="group" aria-label={`Tool ${tool}`} className="tool-card" data-tone={words.tone}>
      <button type="button" className="tool-toggle" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <span className="tool-mark" aria-hidden="true" />
        <span className="tool-title">{visibleText(describe(call))}</span>
        <span className="tool-state">{words.text}</span>
      </button>
      {state === 'executing' && !isOver && <ToolProgress progress={call.progress} />}
      {isOpen && (
        <div className="tool-details">
          <p className="tool-id">{tool}</p>
          <Arguments call={call} />
          {result && <ToolResultView result={result} />}
        </div>
      )}
    </div>
  );
}
