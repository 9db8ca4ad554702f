import { Icon } from '../Icon.js';
import { MessageText } from './MessageText.js';

/** A message of the user that joined the turn while it ran. */
export function SteeringMessage({ text }: { readonly text: string }) {
  return (
    <div className="steering">
      <p className="steering-mark">
        <Icon name="joins" />
        You steered
      </p>
      <MessageText text={text} />
    </div>
  );
}
