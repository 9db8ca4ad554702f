import type { EffectGroup } from '../../session/effect-group.js';
import { visibleText } from '../../text/visible-text.js';
import { CardLink } from './CardLink.js';

interface EffectListsProps {
  readonly groups: readonly EffectGroup[];
  readonly level: 3 | 4;
}

export function EffectLists({ groups, level }: EffectListsProps) {
  const Heading = `h${level}` as const;
  return groups.map(({ kind, heading, lines }) => (
    <div key={heading} className="effect-group" data-kind={kind}>
      <Heading>{heading}</Heading>
      <ul>
        {lines.map(({ text, reason, card }, index) => (
          <li key={index}>
            {card === undefined ? visibleText(text) : <CardLink card={card} text={text} />}
            {reason !== undefined && <span className="effect-reason">{visibleText(reason)}</span>}
          </li>
        ))}
      </ul>
    </div>
  ));
}
