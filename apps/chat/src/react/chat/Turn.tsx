import { useSession, useSignalValue, type AgentSession } from '@banister/react';
import { memo } from 'react';
import { canRepeat } from '../../session/can-repeat.js';
import type { Chat } from '../../session/chat.js';
import { compactionLines, sameLines } from '../../session/compaction-line.js';
import { receiptOf } from '../../session/receipt.js';
import { switchWords } from '../../session/switch-words.js';
import { shownTable } from '../../session/table-answer.js';
import { isPlan } from '../../session/plan-words.js';
import { errorToShow } from '../../session/taken-back.js';
import { noneAsked, turnRail, turnRows } from '../../session/turn-rows.js';
import type { ListedTurn } from '../../view/turn-groups.js';
import { AgentLane } from './AgentLane.js';
import { CompactionMark } from './CompactionMark.js';
import { OfferList } from './OfferList.js';
import { PlanView } from './PlanView.js';
import { ReceiptView } from './ReceiptView.js';
import { StopNote } from './StopNote.js';
import { TableAnswer } from './TableAnswer.js';
import { TaskEndRow } from './TaskEndRow.js';
import { TurnError } from './TurnError.js';
import { TurnFoot } from './TurnFoot.js';
import { TurnRows } from './TurnRows.js';
import { UserMessage } from './UserMessage.js';
import { WaitingDots } from './WaitingDots.js';

interface TurnProps extends Omit<ListedTurn, 'id'> {
  readonly chat: Chat;
  readonly session: AgentSession;
}

/**
 * The same component shows a turn while it runs and after its end, so that what a reader unfolded stays
 * unfolded.
 */
export const Turn = memo(function Turn(props: TurnProps) {
  const { chat, session, isLast, isNews, isCut, isEdited, versions } = props;
  const { branching, compacting, turnUndo } = chat;
  const record = useSignalValue(props.record);
  const { rounds, outcome, status } = record;
  const table = useSession(session, (of) => shownTable(of, record));
  const lines = useSession(session, (of) => compactionLines(of, record), sameLines);
  const yours = useSession(session, () => chat.yourEdits.leftBy(record.id));
  const isOver = outcome !== null;
  const isStill = isOver || isCut;
  const carriedOn = switchWords(record);
  const receipt = receiptOf(record, chat.describe, yours);
  const asked = useSession(session, () => (isOver ? noneAsked : chat.questions.callIds.value));
  const rows = turnRows(record, { table, lines, isStill, asked });
  const isBroken = status === 'failed' || status === 'cancelled';
  return (
    <article className="turn" data-status={status} data-rail={turnRail(record)}>
      {record.from === undefined ? (
        <UserMessage record={record} isEdited={isEdited} branching={branching} session={session} />
      ) : (
        <TaskEndRow tasks={chat.tasks} session={session} record={record} />
      )}
      {record.retryOf !== undefined && <p className="retry-mark">Tried again</p>}
      <TurnRows
        rows={rows}
        chat={chat}
        session={session}
        record={record}
        isStill={isStill}
        below={(call, isCurrent) =>
          isPlan(call) ? (
            <PlanView
              call={call}
              chat={chat}
              session={session}
              record={record}
              isOver={isStill}
              isCurrent={isCurrent}
            />
          ) : (
            call.children?.map((child) => (
              <AgentLane
                key={child.id}
                chat={chat}
                session={session}
                child={child}
                turnId={record.id}
                isStill={isStill}
              />
            ))
          )
        }
      />
      {table && <TableAnswer table={table} isStill={isStill} />}
      {!isStill && !table && !rounds.at(-1)?.parts.length && <WaitingDots />}
      {carriedOn !== null && <p className="switch-note">{carriedOn}</p>}
      {outcome?.stop && <StopNote stop={outcome.stop} />}
      {receipt && <ReceiptView receipt={receipt} />}
      {isOver && isBroken && <TurnError error={errorToShow(record)} isNews={isNews} />}
      {isLast && <OfferList offers={chat.offers} />}
      {isOver && (
        <TurnFoot
          record={record}
          isLast={isLast}
          times={chat.turnTimes}
          versions={versions}
          canRegenerate={!(isBroken && isLast) && canRepeat(record)}
          branching={branching}
          turnUndo={turnUndo}
          session={session}
        />
      )}
      {lines
        .filter(({ before }) => before === null)
        .map((line) => (
          <CompactionMark key={line.id} line={line} compacting={compacting} />
        ))}
    </article>
  );
});
