import type { CardMark } from '../../board/card-mark.js';
import { Icon } from '../Icon.js';

/** The state of a card in words, with its icon and possible actions. */
export function CardSay({
  mark,
  children,
}: {
  readonly mark: CardMark;
  readonly children?: React.ReactNode;
}) {
  return (
    <div className="card-say">
      <span className="card-state">
        <Icon name={mark.icon} />
        {mark.words}
      </span>
      {children}
    </div>
  );
}
