import type { PlanStepWords } from '../../session/plan-words.js';

type PlanStepNameProps = Pick<PlanStepWords, 'title' | 'agent' | 'agentNumber' | 'word' | 'isGrowing'>;

/** The title of a step, with its agent and its state below. */
export function PlanStepName({ title, agent, agentNumber, word, isGrowing }: PlanStepNameProps) {
  return (
    <span className="plan-step">
      <span className="step-title" dir="auto">
        {title}
        {isGrowing && <span className="caret" aria-hidden="true" />}
      </span>
      <span className="plan-step-words">
        {agent !== '' && (
          <span className="agent-name" data-agent={agentNumber}>
            {agent}
          </span>
        )}
        {word !== '' && <span>{word}</span>}
      </span>
    </span>
  );
}
