import type { AgentSession } from '@handrail/react';
import type { Chat } from '../session/chat.js';
import type { ViewChoice } from '../view/view-choice.js';
import { AgentStatus } from './AgentStatus.js';
import { ProviderPicker } from './ProviderPicker.js';
import { NotSaved, SavedMarkView } from './SavedMarkView.js';
import { ViewPicker } from './ViewPicker.js';

interface TopBarProps {
  readonly chat: Chat;
  readonly views: ViewChoice;
  readonly session: AgentSession;
  readonly isChatMounted: boolean;
  onToggleChat(): void;
  readonly isHowOpen: boolean;
  onToggleHow(): void;
}

export function TopBar(props: TopBarProps) {
  const { chat, views, session, isChatMounted, onToggleChat, isHowOpen, onToggleHow } = props;
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
      <SavedMarkView chat={chat} />
      <div className="top-bar-actions">
        <ProviderPicker chat={chat} />
        <ViewPicker views={views} />
        <button type="button" className="button" aria-expanded={isHowOpen} onClick={onToggleHow}>
          How
        </button>
        <button type="button" className="button" onClick={onToggleChat}>
          {isChatMounted ? 'Unmount' : 'Mount'}
          <span className="wide-only"> chat</span>
        </button>
      </div>
      <NotSaved chat={chat} />
    </header>
  );
}
