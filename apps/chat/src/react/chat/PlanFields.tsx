import { useSignalValue } from '@banister/react';
import { useId, useState } from 'react';
import { stepFocus, type EditedStep, type PlanEditor } from '../../session/plan-editor.js';
import { keepOneLine, moveWithArrows } from '../../view/plan-keys.js';
import { startRowDrag } from '../../view/row-drag.js';
import { Icon } from '../Icon.js';

/** The steps of a plan that the user is asked about: renamed, moved, removed, and given to another agent. */
export function PlanFields({ plan }: { readonly plan: PlanEditor }) {
  const steps = useSignalValue(plan.steps);
  const removed = useSignalValue(plan.removed);
  const hintId = useId();
  return (
    <>
      <p className="visually-hidden" id={hintId}>
        The arrow keys move the step.
      </p>
      <ol
        className="plan-rows"
        aria-label="Steps"
        onPointerDown={(event) => startRowDrag(event.nativeEvent, event.currentTarget, plan.place)}
      >
        {steps.map((step, index) => (
          <PlanRow key={step.id} plan={plan} step={step} number={index + 1} hintId={hintId} />
        ))}
        {removed.map((step) => (
          <li key={step.id} className="plan-row" data-removed="">
            <s dir="auto">{step.name}</s>
            <button
              type="button"
              className="button lane-button"
              aria-label={`Put back: ${step.name}`}
              data-focus={stepFocus('back', step)}
              onClick={() => plan.putBack(step)}
            >
              <Icon name="undo" />
              Put back
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}

interface PlanRowProps {
  readonly plan: PlanEditor;
  readonly step: EditedStep;
  readonly number: number;
  readonly hintId: string;
}

function PlanRow({ plan, step, number, hintId }: PlanRowProps) {
  const { id, title, task, agent, agents, name, errors } = step;
  const [isChosen, setChosen] = useState(false);
  const isOpen = isChosen || task.errors.length > 0;
  const errorsId = `${id}-errors`;
  const wrong = (field: EditedStep['title' | 'agent']) =>
    field.errors.length > 0 ? ({ 'aria-invalid': true, 'aria-describedby': errorsId } as const) : {};
  const move = (part: 'handle' | 'up' | 'down', by: 1 | -1) => plan.move(step, by, stepFocus(part, step));
  return (
    <li className="plan-row" data-row={id}>
      <button
        type="button"
        className="plan-handle"
        data-grip=""
        aria-label={`Move: ${name}`}
        aria-describedby={hintId}
        data-focus={stepFocus('handle', step)}
        onKeyDown={({ nativeEvent }) => moveWithArrows(nativeEvent, (by) => move('handle', by))}
      >
        <Icon name="grip" />
      </button>
      <textarea
        className="plan-title"
        rows={1}
        dir="auto"
        aria-label={`Title of step ${number}`}
        {...wrong(title)}
        data-focus={`field:${title.id}`}
        value={title.text}
        onChange={(event) => plan.write(title, event.target.value)}
        onKeyDown={({ nativeEvent }) => keepOneLine(nativeEvent)}
        onBlur={() => plan.form.touch(title)}
      />
      {step.canRemove && (
        <button
          type="button"
          className="icon-button"
          aria-label={`Remove: ${name}`}
          title="Remove"
          onClick={() => plan.remove(step)}
        >
          <Icon name="bin" />
        </button>
      )}
      <div className="plan-row-words">
        <span className="agent-name" data-agent={step.agentNumber}>
          <select
            className="plan-agent"
            aria-label={`Agent of ${name}`}
            {...wrong(agent)}
            data-focus={`field:${agent.id}`}
            value={agents.find(({ isSelected }) => isSelected)?.key ?? ''}
            onChange={(event) => plan.form.input(agent, event.target.value)}
          >
            {agents.map(({ key, label }) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </span>
        <span className="plan-after">{step.after}</span>
        <button
          type="button"
          className="plan-more"
          aria-expanded={isOpen}
          aria-label={`Task: ${name}`}
          onClick={() => setChosen(!isOpen)}
        >
          Task
          <Icon name="opens" />
        </button>
      </div>
      {isOpen && (
        <div className="plan-task">
          <textarea
            rows={2}
            dir="auto"
            aria-label={`Task of ${name}`}
            {...wrong(task)}
            data-focus={`field:${task.id}`}
            value={task.text}
            onChange={(event) => plan.form.input(task, event.target.value)}
            onBlur={() => plan.form.touch(task)}
          />
          <div>
            {!step.isFirst && (
              <button
                type="button"
                className="button lane-button"
                aria-label={`Move up: ${name}`}
                data-focus={stepFocus('up', step)}
                onClick={() => move('up', -1)}
              >
                <Icon name="up" />
                Move up
              </button>
            )}
            {!step.isLast && (
              <button
                type="button"
                className="button lane-button"
                aria-label={`Move down: ${name}`}
                data-focus={stepFocus('down', step)}
                onClick={() => move('down', 1)}
              >
                <Icon name="down" />
                Move down
              </button>
            )}
          </div>
        </div>
      )}
      <p className="form-errors" id={errorsId} aria-live="polite">
        {errors}
      </p>
    </li>
  );
}
