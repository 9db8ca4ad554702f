import type { AgentSession, ToolCallView, TurnRecord } from '@banister/react';
import { Fragment, type ReactNode } from 'react';
import type { Chat } from '../../session/chat.js';
import { isPlan } from '../../session/plan-words.js';
import type { TurnRow } from '../../session/turn-rows.js';
import { CompactionMark } from './CompactionMark.js';
import { QuestionList } from './QuestionList.js';
import { StepGroupView } from './StepGroupView.js';
import { TurnPartView } from './TurnPartView.js';

interface TurnRowsProps {
  readonly rows: readonly TurnRow[];
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly record: TurnRecord;
  readonly isStill: boolean;
  /** Draws what follows a call: the lanes of its agents. It draws the whole of a plan. */
  readonly below?: (call: ToolCallView, isCurrent: boolean) => ReactNode;
}

/** The answer of a turn, in rows: of the turn that the user sent, and of the turn of an agent inside it. */
export function TurnRows({ rows, below, isStill, ...rest }: TurnRowsProps) {
  return rows.map((row) => {
    if (row.type === 'mark')
      return <CompactionMark key={row.key} line={row.line} compacting={rest.chat.compacting} />;
    if (row.type === 'questions') return <QuestionList key={row.key} chat={rest.chat} />;
    if (row.type === 'group') return <StepGroupView key={row.key} group={row.group} {...rest} />;
    const { key, part, isCurrent, thinking } = row;
    return (
      <Fragment key={key}>
        {!(below && isPlan(part)) && (
          <TurnPartView part={part} isOver={isStill} isCurrent={isCurrent} thinking={thinking} {...rest} />
        )}
        {part.type === 'tool-call' && below?.(part, isCurrent)}
      </Fragment>
    );
  });
}
