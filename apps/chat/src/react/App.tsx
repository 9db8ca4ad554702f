import { useSignalValue } from '@banister/react';
import { useContext, useEffect, useRef, useState, type MouseEvent } from 'react';
import { flushSync } from 'react-dom';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardHistory } from '../board/board-history.js';
import type { BoardStore } from '../board/board-store.js';
import type { CardTraces } from '../board/card-traces.js';
import type { OperationRecorder } from '../how/operation-recorder.js';
import type { Chat } from '../session/chat.js';
import { menuKeys } from '../view/menu-keys.js';
import { menuLayers } from '../view/menu-layers.js';
import { regionKeys } from '../view/region-keys.js';
import type { ViewChoice } from '../view/view-choice.js';
import { BackContext, useBackLayer } from './back-layer.js';
import { BoardView } from './board/BoardView.js';
import { ChatAway } from './ChatAway.js';
import { ChatRegion } from './ChatRegion.js';
import { ChatSheet } from './ChatSheet.js';
import { HowDrawer } from './how/HowDrawer.js';
import { TopBar } from './TopBar.js';

export interface AppProps {
  readonly board: BoardStore;
  readonly history: BoardHistory;
  readonly editor: BoardEditor;
  readonly traces: CardTraces;
  readonly chat: Chat;
  readonly recorder: OperationRecorder;
  readonly views: ViewChoice;
}

export function App({ board, history, editor, traces, chat, recorder, views }: AppProps) {
  const session = useSignalValue(chat.session);
  const view = useSignalValue(views.current);
  const [isChatMounted, setChatMounted] = useState(true);
  const [isHowOpen, setHowOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => regionKeys(root.current!), []);
  useEffect(() => menuKeys(root.current!), []);
  const back = useContext(BackContext)!;
  useEffect(() => menuLayers(root.current!, back), [back]);
  useBackLayer(isHowOpen, () => setHowOpen(false));
  useBackLayer(useSignalValue(chat.chats.isOpen), chat.chats.close);
  useBackLayer(useSignalValue(chat.memory.isOpen), chat.memory.close);

  const skipToChat = (event: MouseEvent) => {
    event.preventDefault();
    chat.cues.focus('message');
  };

  const mountChat = () => {
    flushSync(() => setChatMounted(true));
    // The pressed button was removed.
    chat.cues.focus('message');
  };

  return (
    <div className="app" ref={root}>
      <a className="skip-link" href="#chat" onClick={skipToChat}>
        To the chat
      </a>
      <TopBar chat={chat} views={views} isHowOpen={isHowOpen} onToggleHow={() => setHowOpen(!isHowOpen)} />
      <main className="workspace">
        <BoardView
          board={board}
          editor={editor}
          history={history}
          session={session}
          review={chat.review}
          questions={chat.questions}
          traces={traces}
          guide={chat.guide}
        />
        {isHowOpen && (
          <HowDrawer
            session={session}
            recorder={recorder}
            history={history}
            view={view}
            isChatMounted={isChatMounted}
            onToggleChat={() => setChatMounted(!isChatMounted)}
            onClose={() => setHowOpen(false)}
          />
        )}
        <ChatSheet session={session} guide={chat.guide} isHowOpen={isHowOpen}>
          {isChatMounted ? <ChatRegion chat={chat} view={view} /> : <ChatAway onMount={mountChat} />}
        </ChatSheet>
      </main>
    </div>
  );
}
