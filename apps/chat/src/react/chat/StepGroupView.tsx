import type { AgentSession, TurnRecord } from '@banister/react';
import { useState } from 'react';
import type { Chat } from '../../session/chat.js';
import type { StepGroup } from '../../session/turn-rows.js';
import { Icon } from '../Icon.js';
import { StepMark } from './StepMark.js';
import { ToolCard } from './ToolCard.js';

interface StepGroupViewProps {
  readonly group: StepGroup;
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly record: TurnRecord;
}

/** Calls of one kind as one row, which unfolds a row for each call. */
export function StepGroupView({ group, ...rest }: StepGroupViewProps) {
  const { state, title, summary, calls } = group;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="step-group" data-state={state}>
      <div className="step" data-state={state}>
        <StepMark state={state} />
        <button type="button" className="step-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span className="step-title">{title}</span>
          <Icon name="opens" />
          <span className="step-summary">{summary}</span>
          {state === 'undone' && <span className="step-word">Undone</span>}
        </button>
      </div>
      {isOpen &&
        calls.map((call) => <ToolCard key={call.id} call={call} isOver isCurrent={false} {...rest} />)}
    </div>
  );
}
