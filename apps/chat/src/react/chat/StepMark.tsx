import { stepIcons, type StepState } from '../../session/step-words.js';
import { Icon } from '../Icon.js';

/** The mark of a step on the rail. */
export function StepMark({ state }: { readonly state: StepState }) {
  const icon = stepIcons[state];
  return (
    <span className="mark" data-state={state} aria-hidden="true">
      {icon && <Icon name={icon} />}
    </span>
  );
}
