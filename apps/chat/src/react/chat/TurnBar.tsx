import { useSignalValue } from '@handrail/react';
import type { Branching } from '../../session/branching.js';
import type { PastChanges } from '../../session/past-changes.js';
import type { TurnUndo } from '../../session/turn-undo.js';
import { BranchNoticeView } from './BranchNoticeView.js';

interface TurnBarProps {
  readonly turnUndo: TurnUndo;
  readonly branching: Branching;
  readonly pastChanges: PastChanges;
}

/** Undo and redo of whole turns. */
export function TurnBar({ turnUndo, branching, pastChanges }: TurnBarProps) {
  const notice = useSignalValue(pastChanges.notice);
  const canUndo = useSignalValue(turnUndo.canUndo);
  const canRedo = useSignalValue(turnUndo.canRedo);
  const conflict = useSignalValue(turnUndo.conflict);

  return (
    <div className="turn-bar">
      {conflict && (
        <div role="alert" className="conflict">
          <p>
            You changed the board since. {conflict === 'undo' ? 'Undoing' : 'Re-doing'} now leaves your own
            edits alone, and may not take back everything.
          </p>
          <div className="row-end">
            <button type="button" className="button" onClick={turnUndo.dismiss}>
              Leave it
            </button>
            <button
              type="button"
              className="button button-primary"
              onClick={() => void turnUndo.run(conflict, true)}
            >
              {conflict === 'undo' ? 'Undo anyway' : 'Redo anyway'}
            </button>
          </div>
        </div>
      )}
      <BranchNoticeView branching={branching} />
      {notice !== null && (
        <div className="past-changes">
          <p>{notice}</p>
          <button type="button" className="button" onClick={pastChanges.startFresh}>
            Fresh board
          </button>
        </div>
      )}
      <div className="turn-bar-row">
        <button
          type="button"
          className="button"
          disabled={!canUndo}
          onClick={() => void turnUndo.run('undo')}
        >
          Undo turn
        </button>
        <button
          type="button"
          className="button"
          disabled={!canRedo}
          onClick={() => void turnUndo.run('redo')}
        >
          Redo turn
        </button>
      </div>
    </div>
  );
}
