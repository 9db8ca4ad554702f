import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import { useEffect, useRef } from 'react';
import type { Chat } from '../../session/chat.js';
import { liveRetryOf, liveTurnId } from '../../session/live-turn.js';
import { followEnd } from '../../text/follow-end.js';
import { Turn } from './Turn.js';
import { Welcome } from './Welcome.js';

interface ConversationProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

/** The list renders when a turn begins or ends; while text streams, only the running turn does. */
export function Conversation({ chat, session }: ConversationProps) {
  const turns = useSignalValue(session.turns);
  const isRunning = useSignalValue(session.isRunning);
  const liveId = useSession(session, liveTurnId);
  const retried = useSession(session, liveRetryOf);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);

  // A greeting is read from its beginning.
  const isEmpty = turns.length === 0 && liveId === null;
  useEffect(() => (isEmpty ? undefined : followEnd(scroller.current!, content.current!)), [isEmpty]);

  return (
    <div
      ref={scroller}
      role="log"
      aria-label="Conversation"
      // Quiet while text streams: whole blocks are read out beside it.
      aria-live="off"
      aria-busy={isRunning}
      tabIndex={0}
      className="conversation"
    >
      <div ref={content} className="conversation-content">
        {isEmpty && <Welcome chat={chat} session={session} />}
        {turns.map((record, index) => (
          <Turn
            key={record.id}
            session={session}
            describe={chat.describe}
            settled={record}
            isLast={index === turns.length - 1 && liveId === null}
            isRepeated={(turns[index + 1]?.retryOf ?? retried) === record.id}
          />
        ))}
        {liveId !== null && (
          <Turn
            key={liveId}
            session={session}
            describe={chat.describe}
            settled={null}
            isLast={false}
            isRepeated={false}
          />
        )}
      </div>
    </div>
  );
}
