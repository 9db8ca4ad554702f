import { useSession, type AgentSession, type Branch } from '@banister/react';
import type { Branching } from '../../session/branching.js';
import { canUndoTurn, type TurnUndo } from '../../session/turn-undo.js';
import { IconButton } from './IconButton.js';

interface TurnFootProps {
  readonly turnId: string;
  readonly versions: Branch | null;
  readonly canRegenerate: boolean;
  readonly branching: Branching;
  readonly turnUndo: TurnUndo;
  readonly session: AgentSession;
}

/** Below an answer: the other versions of it, a way to another one, and the undo of its turn alone. */
export function TurnFoot(props: TurnFootProps) {
  const { turnId, versions, canRegenerate, branching, turnUndo, session } = props;
  const canUndo = useSession(session, (of) => canUndoTurn(of, turnId));
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
      {(canRegenerate || canUndo) && (
        <div className="turn-tools">
          {canRegenerate && (
            <IconButton
              icon="again"
              label="Regenerate"
              focusName={`regenerate:${turnId}`}
              onPress={() => branching.regenerate(turnId)}
            />
          )}
          {canUndo && (
            <IconButton
              icon="undo"
              label="Undo this turn"
              focusName={`undo:${turnId}`}
              onPress={() => void turnUndo.run('undo', turnId)}
            />
          )}
        </div>
      )}
    </footer>
  );
}
