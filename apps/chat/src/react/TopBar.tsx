import type { AgentSession } from '@handrail/react';
import type { Chat } from '../session/chat.js';
import { AgentStatus } from './AgentStatus.js';
import { ProviderPicker } from './ProviderPicker.js';

interface TopBarProps {
  readonly chat: Chat;
  readonly session: AgentSession;
  readonly isChatMounted: boolean;
  onToggleChat(): void;
  readonly isHowOpen: boolean;
  onToggleHow(): void;
}

export function TopBar({ chat, session, isChatMounted, onToggleChat, isHowOpen, onToggleHow }: TopBarProps) {
  return (
    <header className="top-bar">
      <h1 className="brand">
        <svg className="brand-mark" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3 17 L9 11 L21 11" />
          <path d="M9 11 V20 M16 11 V20" />
        </svg>
        Handrail
      </h1>
      <AgentStatus session={session} />
      <div className="top-bar-actions">
        <ProviderPicker chat={chat} />
        <button type="button" className="button" aria-expanded={isHowOpen} onClick={onToggleHow}>
          How
        </button>
        <button type="button" className="button" onClick={onToggleChat}>
          {isChatMounted ? 'Unmount chat' : 'Mount chat'}
        </button>
      </div>
    </header>
  );
}
