import type { Branch } from '@handrail/react';
import type { Branching } from '../../session/branching.js';
import { IconButton } from './IconButton.js';

interface TurnFootProps {
  readonly turnId: string;
  readonly versions: Branch | null;
  readonly canRegenerate: boolean;
  readonly branching: Branching;
}

/** Below an answer: the other versions of it, and a way to another one. */
export function TurnFoot({ turnId, versions, canRegenerate, branching }: TurnFootProps) {
  return (
    <footer className="turn-foot">
      {versions && (
        <div role="group" aria-label="Versions" className="versions">
          <IconButton
            icon="previous"
            label="Previous version"
            focusName={`previous:${turnId}`}
            disabled={versions.position === 1}
            onPress={() => branching.switchTo(turnId, 'previous')}
          />
          <span className="versions-position">
            {versions.position} / {versions.ids.length}
          </span>
          <IconButton
            icon="next"
            label="Next version"
            focusName={`next:${turnId}`}
            disabled={versions.position === versions.ids.length}
            onPress={() => branching.switchTo(turnId, 'next')}
          />
        </div>
      )}
      {canRegenerate && (
        <div className="turn-tools">
          <IconButton
            icon="again"
            label="Regenerate"
            focusName={`regenerate:${turnId}`}
            onPress={() => branching.regenerate(turnId)}
          />
        </div>
      )}
    </footer>
  );
}
