import { isAgentSessionError, useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useState } from 'react';

type Direction = 'undo' | 'redo';

/** Undo and redo of whole turns. */
export function TurnBar({ session }: { readonly session: AgentSession }) {
  const canUndo = useSignalValue(session.canUndo);
  const canRedo = useSignalValue(session.canRedo);
  const isIdle = useSignalValue(session.phase) === 'idle';
  const [conflict, setConflict] = useState<Direction | null>(null);

  // A question about the last turn is out of date when another one starts.
  useEffect(() => {
    if (!isIdle) setConflict(null);
  }, [isIdle]);

  const run = async (direction: Direction, force = false) => {
    setConflict(null);
    try {
      await session[direction]({ force });
    } catch (error) {
      if (isAgentSessionError(error) && error.code === 'conflict') setConflict(direction);
    }
  };

  return (
    <div className="turn-bar">
      {conflict && (
        <div role="alert" className="conflict">
          <p>
            You changed the board since. {conflict === 'undo' ? 'Undoing' : 'Re-doing'} now leaves your own
            edits alone, and may not take back everything.
          </p>
          <div className="row-end">
            <button type="button" className="button" onClick={() => setConflict(null)}>
              Leave it
            </button>
            <button type="button" className="button button-primary" onClick={() => void run(conflict, true)}>
              {conflict === 'undo' ? 'Undo anyway' : 'Redo anyway'}
            </button>
          </div>
        </div>
      )}
      <div className="turn-bar-row">
        <button
          type="button"
          className="button"
          disabled={!canUndo || !isIdle}
          onClick={() => void run('undo')}
        >
          Undo turn
        </button>
        <button
          type="button"
          className="button"
          disabled={!canRedo || !isIdle}
          onClick={() => void run('redo')}
        >
          Redo turn
        </button>
      </div>
    </div>
  );
}
