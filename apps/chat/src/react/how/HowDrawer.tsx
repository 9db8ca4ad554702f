import { useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useState } from 'react';
import type { BoardHistory } from '../../board/board-history.js';
import { createOperationMeter, type OperationMeter } from '../../how/operation-meter.js';
import type { ViewName } from '../../view/chat-views.js';
import { CodeList } from './CodeList.js';
import { HistoryList } from './HistoryList.js';
import { MeterRates } from './MeterRates.js';
import { OperationLog } from './OperationLog.js';
import { SignalTable } from './SignalTable.js';

interface HowDrawerProps {
  readonly session: AgentSession;
  readonly history: BoardHistory;
  readonly view: ViewName;
  onClose(): void;
}

export function HowDrawer({ session, history, view, onClose }: HowDrawerProps) {
  const [meter, setMeter] = useState<OperationMeter | null>(null);
  const phase = useSignalValue(session.phase);

  useEffect(() => {
    const started = createOperationMeter(session);
    setMeter(started);
    return () => started.stop();
  }, [session]);

  return (
    <aside className="how" aria-label="How it works">
      <header className="how-header">
        <h2>How</h2>
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="how-content" tabIndex={0} role="region" aria-label="Inside the session">
        {meter && <MeterRates meter={meter} />}
        <SignalTable session={session} />
        {meter && <OperationLog meter={meter} />}
        <CodeList phase={phase} view={view} />
        <HistoryList history={history} />
      </div>
    </aside>
  );
}
