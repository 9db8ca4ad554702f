import { useSignalValue, type AgentSession, type ToolCallView, type TurnRecord } from '@banister/react';
import { useState } from 'react';
import { cardOfCall } from '../../session/card-of-call.js';
import type { Chat } from '../../session/chat.js';
import { factsAfter } from '../../session/final-effects.js';
import { allowedWords } from '../../session/permissions.js';
import { questionAbout } from '../../session/question-about.js';
import { reviewedCall } from '../../session/reviewed-call.js';
import { isPlain, stepWords } from '../../session/step-words.js';
import { visibleText } from '../../text/visible-text.js';
import { Arguments } from './Arguments.js';
import { Icon } from '../Icon.js';
import { CardLink } from './CardLink.js';
import { ReviewRow } from './ReviewRow.js';
import { StepMark } from './StepMark.js';
import { ToolProgress } from './ToolProgress.js';
import { ToolResultView } from './ToolResultView.js';

interface ToolCardProps {
  readonly call: ToolCallView;
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly record: TurnRecord;
  readonly isOver: boolean;
  readonly isCurrent: boolean;
}

/** A call as one row, which unfolds its arguments and its result. */
export function ToolCard({ call, chat, session, record, isOver, isCurrent }: ToolCardProps) {
  const question = useSignalValue(questionAbout(session, call));
  const change = useSignalValue(reviewedCall(chat.review, call, record));
  const allowed = allowedWords(useSignalValue(session.grants), call);
  const words = stepWords(call, {
    question,
    isOver,
    isCurrent,
    isReviewed: change !== null,
    title: chat.describe(call),
  });
  const { state, word, reason } = words;
  const title = visibleText(words.title);
  const [chosen, setChosen] = useState<boolean | null>(null);
  // The arguments are shown below a call that is being written, and below a call that ran with arguments
  // other than the model's.
  const isOpen = chosen ?? (!isOver && (state === 'writing' || (state === 'done' && !isPlain(call))));
  const card = cardOfCall(call);
  const facts = factsAfter(call, record);

  return (
    <div
      role="group"
      aria-label={title}
      className="step"
      data-tool={visibleText(call.tool)}
      data-state={state}
      data-review={change?.toolCallId}
    >
      <StepMark state={state} />
      <div className="step-row">
        <button
          type="button"
          className="step-toggle"
          aria-expanded={isOpen}
          onClick={() => setChosen(!isOpen)}
        >
          <span className="step-title">{title}</span>
          {change === null && (
            <span className="step-word">
              {words.change === null ? word : <span className="visually-hidden">{word}, </span>}
              {words.change}
            </span>
          )}
        </button>
        {change && <ReviewRow change={change} review={chat.review} cues={chat.cues} />}
      </div>
      {facts.length > 0 && (
        <p className="step-facts">
          {facts.map(({ kind, text }) => (
            <span key={kind} className="fact" data-fact={kind}>
              <Icon name={kind} />
              {text}
            </span>
          ))}
        </p>
      )}
      {allowed !== null && <p className="step-allowed">{allowed}</p>}
      {reason !== null && <p className="step-reason">{reason}</p>}
      {state === 'running' && <ToolProgress progress={call.progress} />}
      {isOpen && (
        <div className="step-details">
          <Arguments call={call} />
          <ToolResultView call={call} />
          {card !== null && <CardLink card={card} text="Show the card" />}
        </div>
      )}
    </div>
  );
}
