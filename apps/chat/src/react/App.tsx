import { useSignalValue } from '@handrail/react';
import { useState } from 'react';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardHistory } from '../board/board-history.js';
import type { BoardStore } from '../board/board-store.js';
import type { FaultKind } from '../offline/fault.js';
import type { Chat } from '../session/chat.js';
import { BoardView } from './board/BoardView.js';
import { ChatAway } from './ChatAway.js';
import { ChatPanel } from './chat/ChatPanel.js';
import { HowDrawer } from './how/HowDrawer.js';
import { TopBar } from './TopBar.js';

export interface AppProps {
  readonly board: BoardStore;
  readonly history: BoardHistory;
  readonly editor: BoardEditor;
  readonly chat: Chat;
  readonly fault: FaultKind | null;
}

export function App({ board, history, editor, chat, fault }: AppProps) {
  const session = useSignalValue(chat.session);
  const [isChatMounted, setChatMounted] = useState(true);
  const [isHowOpen, setHowOpen] = useState(false);

  return (
    <div className="app">
      <TopBar
        chat={chat}
        session={session}
        isChatMounted={isChatMounted}
        onToggleChat={() => setChatMounted(!isChatMounted)}
        isHowOpen={isHowOpen}
        onToggleHow={() => setHowOpen(!isHowOpen)}
      />
      <main className="workspace">
        {isChatMounted ? (
          <ChatPanel chat={chat} session={session} board={board} fault={fault} />
        ) : (
          <ChatAway />
        )}
        <BoardView board={board} editor={editor} history={history} session={session} />
        {isHowOpen && <HowDrawer session={session} history={history} onClose={() => setHowOpen(false)} />}
      </main>
    </div>
  );
}
