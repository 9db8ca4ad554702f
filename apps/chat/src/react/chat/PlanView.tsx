import { useSignalValue, type AgentSession, type ToolCallView, type TurnRecord } from '@banister/react';
import type { Chat } from '../../session/chat.js';
import { planWords } from '../../session/plan-words.js';
import { questionAbout } from '../../session/question-about.js';
import { stepWords } from '../../session/step-words.js';
import { visibleText } from '../../text/visible-text.js';
import { AgentLane } from './AgentLane.js';
import { PlanStepName } from './PlanStepName.js';
import { StepMark } from './StepMark.js';

interface PlanViewProps {
  readonly call: ToolCallView;
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly record: TurnRecord;
  readonly isOver: boolean;
  readonly isCurrent: boolean;
}

/** A plan on the rail: its steps while they are written, and later the lane of each step that has begun. */
export function PlanView({ call, chat, session, record, isOver, isCurrent }: PlanViewProps) {
  const question = useSignalValue(questionAbout(session, call));
  const title = visibleText(chat.describe(call));
  const words = stepWords(call, { question, isOver, isCurrent, isReviewed: false, title });
  const plan = planWords(call, { call: words, isCurrent, isStill: isOver });
  if (plan === null) return null;
  const { state, word, edits, reason, steps } = plan;
  return (
    <div
      role="group"
      aria-label={title}
      className="plan"
      data-tool={visibleText(call.tool)}
      data-state={state}
    >
      <div className="step" data-state={state}>
        <StepMark state={state} />
        <p className="plan-head">
          <span className="step-title">{title}</span>
          <span className="step-word">{word}</span>
        </p>
        {edits !== null && <p className="plan-edits">{edits}</p>}
        {reason !== null && <p className="step-reason">{reason}</p>}
      </div>
      <ol className="plan-steps" aria-label="Steps">
        {steps.map((step) => (
          <li key={step.id}>
            {step.child === undefined ? (
              <div className="step" data-state={step.state}>
                <StepMark state={step.state} />
                <PlanStepName {...step} />
              </div>
            ) : (
              <AgentLane
                chat={chat}
                session={session}
                child={step.child}
                turnId={record.id}
                isStill={isOver}
                step={step.title}
                agentNumber={step.agentNumber}
              />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
