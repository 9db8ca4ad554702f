import { textOf, type AgentSession, type TurnPart, type TurnRecord } from '@banister/react';
import type { Chat } from '../../session/chat.js';
import { isPlan } from '../../session/plan-words.js';
import { showMarkdown } from '../../text/show-markdown.js';
import { PlanView } from './PlanView.js';
import { SteeringMessage } from './SteeringMessage.js';
import { Thinking } from './Thinking.js';
import { ToolCard } from './ToolCard.js';

interface TurnPartViewProps {
  readonly part: TurnPart;
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly record: TurnRecord;
  readonly isOver: boolean;
  /** Whether this part is being written. */
  readonly isCurrent: boolean;
  /** The id of a block of thinking; null for other parts. */
  readonly thinking: string | null;
}

export function TurnPartView({ part, isCurrent, thinking, ...rest }: TurnPartViewProps) {
  switch (part.type) {
    case 'text':
      return (
        <div className="answer" dir="auto" ref={(element) => showMarkdown(element, part.text, isCurrent)} />
      );
    case 'thinking':
      return (
        <Thinking
          id={thinking ?? ''}
          text={part.text}
          isCurrent={isCurrent}
          times={rest.chat.thinkingTimes}
          session={rest.session}
        />
      );
    case 'tool-call':
      return isPlan(part) ? (
        <PlanView call={part} isCurrent={isCurrent} {...rest} />
      ) : (
        <ToolCard call={part} isCurrent={isCurrent} {...rest} />
      );
    case 'steering':
      return <SteeringMessage text={textOf(part.message)} />;
    case 'opaque':
      // Only its provider can read it.
      return null;
  }
}
