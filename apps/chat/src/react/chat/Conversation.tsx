import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import { useLayoutEffect, useRef } from 'react';
import type { Chat } from '../../session/chat.js';
import { liveRetryOf, liveTurnId } from '../../session/live-turn.js';
import { followEnd } from '../../text/follow-end.js';
import { turnGroups } from '../../view/turn-groups.js';
import { Turn } from './Turn.js';
import { Welcome } from './Welcome.js';

interface ConversationProps {
  readonly chat: Chat;
  readonly session: AgentSession;
}

/** The list renders when a turn begins or ends; while text streams, only the running turn does. */
export function Conversation({ chat, session }: ConversationProps) {
  const turns = useSignalValue(session.turns);
  const groups = useSignalValue(turnGroups(session));
  const isRunning = useSignalValue(session.isRunning);
  const liveId = useSession(session, liveTurnId);
  const retried = useSession(session, liveRetryOf);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);

  // A greeting is read from its beginning.
  const isEmpty = turns.length === 0 && liveId === null;
  useLayoutEffect(() => (isEmpty ? undefined : followEnd(scroller.current!, content.current!)), [isEmpty]);

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
      <div
        ref={content}
        className="conversation-content"
        style={{ ['--earlier' as string]: groups[0]?.from ?? 0 }}
      >
        {isEmpty && <Welcome chat={chat} session={session} />}
        {groups.map(({ from, to }) => (
          <div key={from} className="turn-group" style={{ ['--turns' as string]: to - from }}>
            {turns.slice(from, to).map((record, index) => (
              <Turn
                key={record.id}
                session={session}
                describe={chat.describe}
                settled={record}
                isLast={from + index === turns.length - 1 && liveId === null}
                isRepeated={(turns[from + index + 1]?.retryOf ?? retried) === record.id}
              />
            ))}
          </div>
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
