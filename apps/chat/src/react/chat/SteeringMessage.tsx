import { Icon } from '../Icon.js';
import { MessageText } from './MessageText.js';

/** A user message that joined the running turn. */
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
