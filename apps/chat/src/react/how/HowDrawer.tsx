import { useSignalValue, type AgentSession } from '@banister/react';
import { useState } from 'react';
import type { BoardHistory } from '../../board/board-history.js';
import type { Job } from '../../how/code-lines.js';
import type { OperationRecorder } from '../../how/operation-recorder.js';
import { counted } from '../../session/counted.js';
import type { ViewName } from '../../view/chat-views.js';
import { CodeList } from './CodeList.js';
import { HistoryList } from './HistoryList.js';
import { OperationLog } from './OperationLog.js';
import { SignalTable } from './SignalTable.js';
import { UsageTable } from './UsageTable.js';

interface HowDrawerProps {
  readonly session: AgentSession;
  readonly recorder: OperationRecorder;
  readonly history: BoardHistory;
  readonly view: ViewName;
  readonly isChatMounted: boolean;
  onToggleChat(): void;
  onClose(): void;
}

/** The inner state of the session, as the page has recorded it from its start. */
export function HowDrawer(props: HowDrawerProps) {
  const { session, recorder, history, view, isChatMounted, onToggleChat, onClose } = props;
  const { steps, operations, publications, lit } = useSignalValue(recorder.current);
  const [picked, setPicked] = useState<Job | null>(null);

  return (
    <aside className="how" aria-label="How it works">
      <header className="how-header">
        <h2>How it works</h2>
        <p className="how-count">
          {counted(operations, 'operation')}, {counted(publications, 'publication')}
        </p>
        <button type="button" className="button button-quiet" onClick={onToggleChat}>
          {isChatMounted ? 'Unmount' : 'Mount'} the chat
        </button>
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="how-content" tabIndex={0} role="region" aria-label="Inside the session">
        <OperationLog steps={steps} picked={picked} />
        <div className="how-column" tabIndex={0} role="region" aria-label="Signals, usage and history">
          <SignalTable session={session} />
          <UsageTable session={session} />
          <HistoryList history={history} />
        </div>
        <CodeList lit={lit} picked={picked} onPick={setPicked} view={view} />
      </div>
    </aside>
  );
}
