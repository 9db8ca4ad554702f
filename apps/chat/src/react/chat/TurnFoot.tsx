import { useSession, type AgentSession, type Branch, type TurnRecord } from '@banister/react';
import type { Branching } from '../../session/branching.js';
import { turnFigures, turnNotes, type TurnTimes } from '../../session/turn-figures.js';
import { canUndoTurn, type TurnUndo } from '../../session/turn-undo.js';
import { IconButton } from './IconButton.js';

interface TurnFootProps {
  readonly record: TurnRecord;
  readonly isLast: boolean;
  readonly times: TurnTimes;
  readonly versions: Branch | null;
  readonly canRegenerate: boolean;
  readonly branching: Branching;
  readonly turnUndo: TurnUndo;
  readonly session: AgentSession;
}

const none: readonly string[] = [];
const sameNotes = (one: readonly string[], other: readonly string[]) => one.join('\n') === other.join('\n');

/**
 * The controls and facts below an answer: its other versions, Regenerate, the undo of this turn alone, time
 * and cost, and problems on the way.
 */
export function TurnFoot(props: TurnFootProps) {
  const { record, isLast, times, versions, canRegenerate, branching, turnUndo, session } = props;
  const { id: turnId } = record;
  const canUndo = useSession(session, (of) => canUndoTurn(of, turnId));
  const figures = useSession(session, () => turnFigures(record, times.of(turnId)));
  const notes = useSession(session, (of) => (isLast ? turnNotes(of) : none), sameNotes);
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
      {figures !== '' && <small className="turn-figures">{figures}</small>}
      {notes.map((note) => (
        <p key={note} className="turn-note">
          {note}
        </p>
      ))}
    </footer>
  );
}
