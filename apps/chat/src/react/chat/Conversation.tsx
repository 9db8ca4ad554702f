import { useSignalValue, type AgentSession } from '@banister/react';
import { useLayoutEffect, useRef } from 'react';
import type { Chat } from '../../session/chat.js';
import { followEnd } from '../../text/follow-end.js';
import { turnGroups } from '../../view/turn-groups.js';
import { TaskQuestion } from './TaskQuestion.js';
import { TurnGroupView } from './TurnGroupView.js';
import { Welcome } from './Welcome.js';

interface ConversationProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

/** The list renders when a turn begins or ends. While text streams, only the running turn renders. */
export function Conversation({ chat, session }: ConversationProps) {
  const groups = useSignalValue(turnGroups(session, chat.branching.editedTurn));
  const isRunning = useSignalValue(session.isRunning);
  const isOpen = useSignalValue(session.link).open;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);

  // The greeting is shown from its top and is not scrolled to its end.
  const isEmpty = groups.length === 0;
  useLayoutEffect(() => (isEmpty ? undefined : followEnd(scroller.current!, content.current!)), [isEmpty]);

  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // Not a live region, because complete blocks are read out elsewhere.
      aria-live="off"
      aria-busy={isRunning}
      tabIndex={0}
      className="conversation"
    >
      <div
        ref={content}
        className="conversation-content"
        style={{ ['--earlier' as string]: groups[0]?.from ?? 0 }}
      >
        {isEmpty && isOpen && <Welcome chat={chat} />}
        {groups.map((group) => (
          <TurnGroupView key={group.from} group={group} chat={chat} session={session} />
        ))}
        <TaskQuestion chat={chat} />
      </div>
    </div>
  );
}
