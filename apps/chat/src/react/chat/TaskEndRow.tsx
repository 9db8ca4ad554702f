import { useSession, type AgentSession, type TurnRecord } from '@banister/react';
import type { TaskStrip } from '../../tasks/task-strip.js';
import { sameEnd } from '../../tasks/task-words.js';
import { Icon } from '../Icon.js';
import { StepMark } from './StepMark.js';

interface TaskEndRowProps {
  readonly tasks: TaskStrip;
  readonly session: AgentSession;
  readonly record: TurnRecord;
}

/** The end of a task, in the place of a message of the user. */
export function TaskEndRow({ tasks, session, record }: TaskEndRowProps) {
  const end = useSession(session, () => tasks.endOf(record), sameEnd);
  return (
    <div className="step" data-state={end.state}>
      <StepMark state={end.state} />
      <div className="task-end">
        <span className="task-end-title">{end.title}</span>
        <span className="step-word">{end.word}</span>
        {end.canUndo && (
          <button
            type="button"
            className="button lane-button"
            aria-label={`Undo the task: ${end.task}`}
            onClick={() => void tasks.undo(record)}
          >
            <Icon name="undo" />
            Undo
          </button>
        )}
      </div>
    </div>
  );
}
