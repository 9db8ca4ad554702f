import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';

/** A message of the user that joined the turn while it ran. */
export function SteeringMessage({ text }: { readonly text: string }) {
  return (
    <div className="steering">
      <p className="steering-mark">
        <Icon name="joins" />
        You steered
      </p>
      <p className="user-message">{visibleText(text)}</p>
    </div>
  );
}
