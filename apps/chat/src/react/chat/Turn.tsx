import { textOf, useSession, type AgentSession, type TurnRecord } from '@handrail/react';
import { memo, useCallback } from 'react';
import type { DescribeCall } from '../../session/chat.js';
import { receiptOf } from '../../session/receipt.js';
import { visibleText } from '../../text/visible-text.js';
import { ReceiptView } from './ReceiptView.js';
import { TurnError } from './TurnError.js';
import { TurnPartView } from './TurnPartView.js';

interface TurnProps {
  readonly session: AgentSession;
  readonly describe: DescribeCall;
  /** The record of an ended turn; null for the one that runs. */
  readonly settled: TurnRecord | null;
  readonly isLast: boolean;
  /** A later turn repeats this one, and shows what came of it. */
  readonly isRepeated: boolean;
}

export const Turn = memo(function Turn({ session, describe, settled, isLast, isRepeated }: TurnProps) {
  // A settled turn reads no signal at all, so that nothing of it renders while another one streams.
  const select = useCallback((of: AgentSession) => settled ?? of.liveTurn.value, [settled]);
  const record = useSession(session, select);
  if (record === null) return null;

  const { input, rounds, outcome, status } = record;
  const isOver = outcome !== null;
  const receipt = receiptOf(record, describe);
  const lastRound = rounds.at(-1);
  return (
    <article className="turn" data-status={status} data-repeated={isRepeated || undefined}>
      {record.retryOf === undefined ? (
        <p className="user-message">{visibleText(textOf(input))}</p>
      ) : (
        <p className="retry-mark">Tried again</p>
      )}
      {rounds.map((round, index) => (
        // Rounds only ever join at the end.
        <div key={index} className="round">
          {round.parts.map((part, position) => (
            <TurnPartView
              key={position}
              part={part}
              session={session}
              describe={describe}
              isOver={isOver}
              isCurrent={!isOver && round === lastRound && position === round.parts.length - 1}
            />
          ))}
        </div>
      ))}
      {!isOver && !hasParts(record) && (
        <p className="waiting-dots">
          <span className="visually-hidden">The agent is thinking</span>
          <i />
          <i />
          <i />
        </p>
      )}
      {outcome?.stop && <p className="stop-note">Stopped early: {visibleText(outcome.stop.message)}</p>}
      {receipt && <ReceiptView receipt={receipt} />}
      {isOver && (status === 'failed' || status === 'cancelled') && !isRepeated && (
        <TurnError session={session} error={outcome.error ?? null} canRetry={isLast} />
      )}
    </article>
  );
});

function hasParts({ rounds }: TurnRecord): boolean {
  return (rounds.at(-1)?.parts.length ?? 0) > 0;
}
