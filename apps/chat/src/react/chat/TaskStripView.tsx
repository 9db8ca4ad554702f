import { useSignalValue } from '@banister/react';
import type { TaskStrip } from '../../tasks/task-strip.js';
import { Icon } from '../Icon.js';
import { StepMark } from './StepMark.js';

/** The tasks in the background that have not ended. */
export function TaskStripView({ tasks }: { readonly tasks: TaskStrip }) {
  const rows = useSignalValue(tasks.rows);
  if (rows.length === 0) return null;
  return (
    <section className="tasks" aria-label="Tasks in the background">
      <ul className="task-list">
        {rows.map((row) => (
          <li key={row.id} className="task-row" data-state={row.state}>
            <StepMark state={row.state} />
            <span className="task-title">{row.title}</span>
            <span className="task-state">
              {row.agent} · {row.status}
            </span>
            <button
              type="button"
              className="button lane-button"
              aria-label={`Stop: ${row.title}`}
              disabled={!row.canStop}
              onClick={() => void tasks.stop(row)}
            >
              <Icon name="stop" />
              Stop
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
