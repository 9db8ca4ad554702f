import { useSignalValue } from '@handrail/react';
import { useState } from 'react';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardHistory } from '../board/board-history.js';
import type { BoardStore } from '../board/board-store.js';
import type { Chat } from '../session/chat.js';
import type { ViewChoice } from '../view/view-choice.js';
import { BoardView } from './board/BoardView.js';
import { ChatAway } from './ChatAway.js';
import { ChatRegion } from './ChatRegion.js';
import { HowDrawer } from './how/HowDrawer.js';
import { TopBar } from './TopBar.js';

export interface AppProps {
  readonly board: BoardStore;
  readonly history: BoardHistory;
  readonly editor: BoardEditor;
  readonly chat: Chat;
  readonly views: ViewChoice;
}

export function App({ board, history, editor, chat, views }: AppProps) {
  const session = useSignalValue(chat.session);
  const view = useSignalValue(views.current);
  const [isChatMounted, setChatMounted] = useState(true);
  const [isHowOpen, setHowOpen] = useState(false);

  return (
    <div className="app">
      <TopBar
        chat={chat}
        views={views}
        session={session}
        isChatMounted={isChatMounted}
        onToggleChat={() => setChatMounted(!isChatMounted)}
        isHowOpen={isHowOpen}
        onToggleHow={() => setHowOpen(!isHowOpen)}
      />
      <main className="workspace">
        {isChatMounted ? <ChatRegion chat={chat} view={view} /> : <ChatAway />}
        <BoardView board={board} editor={editor} history={history} session={session} />
        {isHowOpen && (
          <HowDrawer session={session} history={history} view={view} onClose={() => setHowOpen(false)} />
        )}
      </main>
    </div>
  );
}
