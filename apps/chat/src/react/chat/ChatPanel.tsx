import { useSession, useSignalValue, type AgentSession, type ToolCallView } from '@handrail/react';
import { useCallback } from 'react';
import type { BoardStore } from '../../board/board-store.js';
import { describeCall } from '../../board/describe-call.js';
import type { FaultKind } from '../../offline/fault.js';
import { announcement } from '../../session/announcement.js';
import type { Chat } from '../../session/chat.js';
import { Composer } from './Composer.js';
import { Confirmations } from './Confirmations.js';
import { Conversation } from './Conversation.js';
import { TurnBar } from './TurnBar.js';

interface ChatPanelProps {
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly board: BoardStore;
  readonly fault: FaultKind | null;
}

export function ChatPanel({ chat, session, board, fault }: ChatPanelProps) {
  const storageProblem = useSignalValue(chat.storageProblem);
  const spoken = useSession(session, announcement);
  const describe = useCallback(
    ({ tool, ranWith, arguments: args }: Pick<ToolCallView, 'tool' | 'arguments' | 'ranWith'>) =>
      describeCall(board, tool, ranWith ?? args),
    [board],
  );

  return (
    <section className="chat" aria-label="Chat">
      <header className="chat-header">
        <h2>Chat</h2>
        <button type="button" className="button button-quiet" onClick={() => void chat.startOver()}>
          New chat
        </button>
      </header>
      {storageProblem !== null && (
        <p role="alert" className="problem">
          {storageProblem}
        </p>
      )}
      <Conversation chat={chat} session={session} describe={describe} />
      <p className="visually-hidden" aria-live="polite">
        {spoken}
      </p>
      <Confirmations session={session} describe={describe} />
      <TurnBar session={session} />
      <Composer session={session} fault={fault} />
    </section>
  );
}
