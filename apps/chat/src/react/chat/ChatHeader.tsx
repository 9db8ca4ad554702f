import { useSignalValue } from '@banister/react';
import type { MemoryDrawer } from '../../memory/memory-drawer.js';
import type { ChatList } from '../../chats/chat-list.js';
import { visibleText } from '../../text/visible-text.js';
import { Icon } from '../Icon.js';
import { MemoryButton } from './MemoryButton.js';

interface ChatHeaderProps {
  readonly chats: ChatList;
  readonly memory: MemoryDrawer;
}

export function ChatHeader({ chats, memory }: ChatHeaderProps) {
  const title = useSignalValue(chats.title);
  const isOpen = useSignalValue(chats.isOpen);
  return (
    <header className="chat-header">
      <button
        type="button"
        className="icon-button"
        aria-label="All chats"
        title="All chats"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        data-focus="chats"
        onClick={isOpen ? chats.close : chats.open}
      >
        <Icon name="list" />
      </button>
      <h2 className="chat-title">{visibleText(title)}</h2>
      <MemoryButton memory={memory} />
      <button
        type="button"
        className="icon-button"
        aria-label="New chat"
        title="New chat"
        onClick={chats.startNew}
      >
        <Icon name="plus" />
      </button>
    </header>
  );
}
