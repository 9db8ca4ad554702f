import type { GhostEffect } from '../../board/pending-effects.js';
import { visibleText } from '../../text/visible-text.js';

interface GhostCardProps {
  readonly ghost: GhostEffect;
}

/** A card that is not there yet: it grows while the agent writes the call, and turns solid when the call runs. */
export function GhostCard({ ghost }: GhostCardProps) {
  return (
    <li className="card ghost" data-ghost={ghost.stage} data-motion={`ghost-${ghost.callId}`}>
      <span className="ghost-title">
        {visibleText(ghost.title)}
        {ghost.stage === 'assembling' && ghost.type === 'add' && (
          <span className="caret" aria-hidden="true" />
        )}
      </span>
      <span className="visually-hidden">, not there yet</span>
    </li>
  );
}
