import { useSession, useSignalValue } from '@banister/react';
import { useEffect, useRef } from 'react';
import { announcement } from '../../session/announcement.js';
import type { Chat } from '../../session/chat.js';
import { keepFocus } from '../../view/keep-focus.js';
import { ChatHeader } from './ChatHeader.js';
import { ChatListView } from './ChatListView.js';
import { Composer } from './Composer.js';
import { Conversation } from './Conversation.js';
import { GripView } from './GripView.js';
import { GuideLineView } from './GuideLineView.js';
import { MemoryDrawerView } from './MemoryDrawerView.js';
import { QueueView } from './QueueView.js';
import { TaskStripView } from './TaskStripView.js';

export function ChatPanel({ chat }: { readonly chat: Chat }) {
  const session = useSignalValue(chat.session);
  const storageProblem = useSignalValue(chat.storageProblem);
  const spoken = useSession(session, announcement);
  const said = useSignalValue(chat.cues.spoken);
  const root = useRef<HTMLElement>(null);
  useEffect(() => keepFocus(root.current!), []);

  return (
    <section ref={root} className="chat" aria-label="Chat">
      <ChatHeader chats={chat.chats} memory={chat.memory} />
      <ChatListView chats={chat.chats} pastChanges={chat.pastChanges} />
      <MemoryDrawerView memory={chat.memory} />
      {storageProblem !== null && (
        <p role="alert" className="problem">
          {storageProblem}
        </p>
      )}
      <Conversation chat={chat} session={session} />
      <p className="visually-hidden" aria-live="polite">
        {spoken}
      </p>
      <div className="visually-hidden" aria-live="polite">
        {said}
      </div>
      <GuideLineView guide={chat.guide} />
      <div className="handle">
        <GripView chat={chat} />
        <TaskStripView tasks={chat.tasks} />
        <QueueView queue={chat.queue} />
        <Composer chat={chat} session={session} />
      </div>
    </section>
  );
}
