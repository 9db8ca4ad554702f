import type { AgentSession, ErrorData } from '@handrail/react';
import { visibleText } from '../../text/visible-text.js';

interface TurnErrorProps {
  readonly session: AgentSession;
  /** null for a turn that the user stopped: that is no error. */
  readonly error: ErrorData | null;
  /** Whether the error is new. An error of a restored turn is shown, and is no alert. */
  readonly isNews: boolean;
  readonly canRetry: boolean;
}

export function TurnError({ session, error, isNews, canRetry }: TurnErrorProps) {
  return (
    <div className="turn-error" role={error && isNews ? 'alert' : undefined}>
      {error && (
        <p className="problem">
          {visibleText(error.message)} <code>{error.code}</code>
        </p>
      )}
      {canRetry && error?.retry !== 'never' && (
        <button type="button" className="button" onClick={() => void session.retry()}>
          Retry
        </button>
      )}
    </div>
  );
}
