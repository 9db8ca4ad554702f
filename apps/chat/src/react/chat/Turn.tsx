import { useSignalValue, type AgentSession, type TurnRecord } from '@handrail/react';
import { memo } from 'react';
import type { Branching } from '../../session/branching.js';
import type { DescribeCall } from '../../session/chat.js';
import { receiptOf } from '../../session/receipt.js';
import { errorToShow } from '../../session/taken-back.js';
import { visibleText } from '../../text/visible-text.js';
import type { ListedTurn } from '../../view/turn-groups.js';
import { ReceiptView } from './ReceiptView.js';
import { TurnError } from './TurnError.js';
import { TurnFoot } from './TurnFoot.js';
import { TurnPartView } from './TurnPartView.js';
import { UserMessage } from './UserMessage.js';

interface TurnProps extends Omit<ListedTurn, 'id'> {
  readonly session: AgentSession;
  readonly describe: DescribeCall;
  readonly branching: Branching;
}

/** The same component from the start of a turn to its end and beyond: what a reader opened in it stays open. */
export const Turn = memo(function Turn(props: TurnProps) {
  const { session, describe, branching, isLast, isNews, isCut, isEdited, versions } = props;
  const record = useSignalValue(props.record);
  const { rounds, outcome, status } = record;
  const isOver = outcome !== null;
  const isStill = isOver || isCut;
  const receipt = receiptOf(record, describe);
  const lastRound = rounds.at(-1);
  const isBroken = status === 'failed' || status === 'cancelled';
  return (
    <article className="turn" data-status={status}>
      <UserMessage record={record} isEdited={isEdited} branching={branching} />
      {record.retryOf !== undefined && <p className="retry-mark">Tried again</p>}
      {rounds.map((round, index) => (
        // Rounds only ever join at the end.
        <div key={index} className="round">
          {round.parts.map((part, position) => (
            <TurnPartView
              key={position}
              part={part}
              session={session}
              describe={describe}
              isOver={isStill}
              isCurrent={!isStill && round === lastRound && position === round.parts.length - 1}
            />
          ))}
        </div>
      ))}
      {!isStill && !hasParts(record) && (
        <p className="waiting-dots">
          <span className="visually-hidden">The agent is thinking</span>
          <i />
          <i />
          <i />
        </p>
      )}
      {outcome?.stop && <p className="stop-note">Stopped early: {visibleText(outcome.stop.message)}</p>}
      {receipt && <ReceiptView receipt={receipt} />}
      {isOver && isBroken && (
        <TurnError session={session} error={errorToShow(record)} isNews={isNews} canRetry={isLast} />
      )}
      {isOver && (
        <TurnFoot
          turnId={record.id}
          versions={versions}
          canRegenerate={!(isBroken && isLast)}
          branching={branching}
        />
      )}
    </article>
  );
});

function hasParts({ rounds }: TurnRecord): boolean {
  return (rounds.at(-1)?.parts.length ?? 0) > 0;
}
